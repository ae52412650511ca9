/** Subject verb → function. The whole public face of the zonal-facade service. */
export const handlers = {};
