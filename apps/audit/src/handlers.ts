/** Subject verb → function. The whole public face of the audit service. */
export const handlers = {};
