import { handlers } from './handlers.js';

/** The session service as a value: started by main.ts alone, or by apps/zone with the others. */
export const session = { name: 'session', handlers };
