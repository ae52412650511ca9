import type { Requirement } from './requirement.js';

/** Real clients, replicas, tenancy. */
export const CLIENTS: readonly Requirement[] = [];
