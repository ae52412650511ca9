import type { Requirement } from './requirement.js';

/** One call through both eras: progress, cancel, tasks, multi-round trips. */
export const CALLS: readonly Requirement[] = [];
