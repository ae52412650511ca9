/** Subject verb → function. The whole public face of the router service. */
export const handlers = {};
