import { handlers } from './handlers.js';

/** The agent service as a value: started by main.ts alone, or by apps/zone with the others. */
export const agent = { name: 'agent', handlers };
