import {
  toolFacts,
  type Grant,
  type ManagedTarget,
  type PolicyFacts,
  type ToolContract,
} from '@adaos/contracts';

/** All a decision depends on, as one value; nothing of it comes from what the client says of its own rights. */
export function factsOf(
  grant: Grant,
  tool: ToolContract,
  target: ManagedTarget | null,
  call: {
    dry_run: boolean;
    zone: string | null;
    subnet_id: string | null;
    service: string | null;
    approved: boolean;
  },
): PolicyFacts {
  return {
    grant: {
      grant_id: grant.grant_id,
      auth_method: grant.auth_method,
      role: grant.role ?? '',
      zone: grant.zone,
      subnet_id: grant.subnet_id ?? '',
      target_id: grant.target_id ?? '',
      capability_profile: grant.capability_profile,
      capabilities: grant.capabilities,
      allowed_tools: grant.allowed_tools,
    },
    tool: toolFacts(tool),
    target: target && {
      target_id: target.target_id,
      zone: target.zone,
      subnet_id: target.subnet_id,
      environment: target.environment,
      status: target.status,
      reported: target.reported !== null,
      skill_state: target.operational_surface.skill.state,
      published: target.operational_surface.capabilities,
      write_scope: target.policy.write_scope,
      allowed_services: target.policy.allowed_services,
      approval: target.policy.approval ?? 'none',
      version: target.version,
    },
    call: {
      dry_run: call.dry_run,
      zone: call.zone ?? '',
      subnet_id: call.subnet_id ?? '',
      service: call.service ?? '',
      approved: call.approved,
    },
  };
}
