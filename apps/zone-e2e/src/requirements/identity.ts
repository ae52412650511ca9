import type { Requirement } from './requirement.js';

/** OIDC and OAuth mode. */
export const IDENTITY: readonly Requirement[] = [];
