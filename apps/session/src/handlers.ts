/** Subject verb → function. The whole public face of the session service. */
export const handlers = {};
