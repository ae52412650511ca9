/** Subject verb → function. The whole public face of the descriptor service. */
export const handlers = {};
