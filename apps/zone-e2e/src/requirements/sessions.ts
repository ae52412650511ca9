import type { Requirement } from './requirement.js';

/** Leases, tokens, operators, keys. */
export const SESSIONS: readonly Requirement[] = [];
