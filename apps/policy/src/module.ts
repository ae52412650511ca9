import { handlers } from './handlers.js';

/** The policy service as a value: started by main.ts alone, or by apps/zone with the others. */
export const policy = { name: 'policy', handlers };
