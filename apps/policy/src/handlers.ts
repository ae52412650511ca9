/** Subject verb → function. The whole public face of the policy service. */
export const handlers = {};
