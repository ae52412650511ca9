import type { ROLES } from './nouns/grant.js';
import type { ToolContract } from './nouns/tool-contract.js';

export type Role = (typeof ROLES)[number];

/** Who may do what among operators. A viewer looks; an operator and an admin also act; an approver looks and approves. */
const WRITES: Record<Role, boolean> = { viewer: false, operator: true, approver: false, admin: true };

/** Capabilities of an operator role over the tools of this build. */
export const roleCapabilities = (role: Role, contracts: readonly ToolContract[]): string[] => [
  ...new Set(
    contracts.filter((c) => WRITES[role] || c.annotations.readOnlyHint).map((c) => c.required_capability),
  ),
];
