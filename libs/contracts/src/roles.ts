import type { ROLES, ToolContract } from './nouns/tool-contract.js';

export type Role = (typeof ROLES)[number];

/** Capabilities of an operator role over the tools of this build: each contract says which roles hold its own. */
export const roleCapabilities = (role: Role, contracts: readonly ToolContract[]): string[] => [
  ...new Set(contracts.filter((c) => c.operator_roles.includes(role)).map((c) => c.required_capability)),
];
