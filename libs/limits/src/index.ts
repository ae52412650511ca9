export { createMemoryLimits } from './memory.js';
export type { Limits, Rate, Slot, Taken } from './port.js';
