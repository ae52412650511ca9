import { handlers } from './handlers.js';

/** The router service as a value: started by main.ts alone, or by apps/zone with the others. */
export const router = { name: 'router', handlers };
