import { handlers } from './handlers.js';

/** The descriptor service as a value: started by main.ts alone, or by apps/zone with the others. */
export const descriptor = { name: 'descriptor', handlers };
