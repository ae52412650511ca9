import { ENVIRONMENTS } from './nouns/tool-contract.js';
import { PROFILES } from './profiles.js';
import type { ToolContract } from './nouns/tool-contract.js';

const MAX_PROFILES = 3;

/** Who may call a tool at all: `the profile InfraOpsControl`, or the operators who may. Of the contract alone, so anyone may read it. */
export function whoMay({ required_capability, operator_roles }: ToolContract): string {
  const profiles = Object.values(PROFILES)
    .filter(({ capabilities }) => capabilities.includes(required_capability))
    // The smallest first: whoever asks for more than needed gets more than needed.
    .sort((a, b) => a.capabilities.length - b.capabilities.length)
    .slice(0, MAX_PROFILES)
    .map(({ profile_id }) => profile_id);
  if (profiles.length) return `the profile ${profiles.join(' or ')}`;
  return `an operator with the role ${operator_roles.join(' or ')}`;
}

/** `a test target`, or `a test or staging target`. */
export const environmentsOf = (allowed: readonly string[]): string =>
  allowed.length ? `a ${allowed.join(' or ')} target` : 'no target';

/** What a call of this tool needs, in one phrase: `the profile InfraOpsControl on a test target`. */
export const neededFor = (tool: ToolContract): string =>
  whoMay(tool) +
  (tool.served_by === 'hub' && tool.allowed_environments.length < ENVIRONMENTS.length
    ? ` on ${environmentsOf(tool.allowed_environments)}`
    : '');
