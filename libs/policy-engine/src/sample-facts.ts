import {
  isWrite,
  profileOf,
  roleCapabilities,
  TOOL_CONTRACTS,
  toolFacts,
  toolOf,
  toolsFor,
  type PolicyFacts,
  type Role,
} from '@adaos/contracts';

/** A profile of a lease, or a role of an operator. */
export type Who = { readonly profile: string } | { readonly role: Role };

export const EVERYTHING: readonly string[] = [...new Set(TOOL_CONTRACTS.map((c) => c.required_capability))];

/** The sample target: an online test hub of `subnet-a` that publishes all it can and offers the service `web`. */
const TARGET: NonNullable<PolicyFacts['target']> = {
  target_id: 'hub:demo',
  zone: 'local',
  subnet_id: 'subnet-a',
  environment: 'test',
  status: 'online',
  reported: true,
  skill_state: 'enabled',
  published: [...EVERYTHING],
  write_scope: 'test-only',
  allowed_services: ['web'],
  approval: 'none',
  version: 1,
};

/**
 * Facts of a call that nothing stands against: cases and comparisons change what they are about. Without `who` the credential is a control
 * lease that holds everything. Throws OpError(tool_not_found, invalid_argument) for an unknown tool or profile.
 */
export function sampleFacts(tool_id: string, who?: Who): PolicyFacts {
  const { contract } = toolOf(tool_id);
  const properties = contract.input_schema['properties'] as Record<string, unknown>;
  const has_target = contract.surface === 'operations' && contract.plane_id !== 'zone_admin';
  return {
    grant: sampleGrant(who),
    tool: toolFacts(contract),
    target: has_target ? { ...TARGET } : null,
    call: {
      dry_run: false,
      zone: '',
      subnet_id: '',
      service: isWrite(contract) && Object.hasOwn(properties, 'service') ? 'web' : '',
      approved: false,
    },
  };
}

function sampleGrant(who: Who | undefined): PolicyFacts['grant'] {
  if (who && 'role' in who) {
    const capabilities = roleCapabilities(who.role, TOOL_CONTRACTS);
    return {
      grant_id: 'opr_sample',
      auth_method: 'operator_token',
      role: who.role,
      zone: 'local',
      subnet_id: '',
      target_id: '',
      capability_profile: `role:${who.role}`,
      capabilities,
      allowed_tools: toolsFor(capabilities),
    };
  }
  const capabilities = who ? [...profileOf(who.profile).capabilities] : [...EVERYTHING];
  return {
    grant_id: 'lse_sample',
    auth_method: 'mcp_session_lease',
    role: '',
    zone: 'local',
    subnet_id: 'subnet-a',
    target_id: 'hub:demo',
    capability_profile: who?.profile ?? 'InfraOpsControl',
    capabilities,
    allowed_tools: toolsFor(capabilities),
  };
}
