/** Subject verb → function. The whole public face of the agent service. */
export const handlers = {};
