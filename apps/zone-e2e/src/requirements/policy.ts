import type { Requirement } from './requirement.js';

/** Zone policies, explanations, test, diff, replay. */
export const POLICY: readonly Requirement[] = [];
