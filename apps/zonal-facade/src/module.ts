import { handlers } from './handlers.js';

/** The zonal-facade service as a value: started by main.ts alone, or by apps/zone with the others. */
export const zonalFacade = { name: 'zonal-facade', handlers };
