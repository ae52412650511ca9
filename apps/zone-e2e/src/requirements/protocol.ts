import type { Requirement } from './requirement.js';

/** Lists, resources, prompts, completion, subscriptions, conformance. */
export const PROTOCOL: readonly Requirement[] = [];
