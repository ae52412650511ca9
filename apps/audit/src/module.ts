import { handlers } from './handlers.js';

/** The audit service as a value: started by main.ts alone, or by apps/zone with the others. */
export const audit = { name: 'audit', handlers };
