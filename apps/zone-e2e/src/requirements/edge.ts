import type { Requirement } from './requirement.js';

/** Limits and the HTTP edge. */
export const EDGE: readonly Requirement[] = [];
