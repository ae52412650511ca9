import {
  OpError,
  targetIdOf,
  TOOL_CONTRACTS,
  type ExecRequest,
  type Grant,
  type ManagedTarget,
  type TargetPolicy,
  type TargetRecord,
} from '@adaos/contracts';
import type { ExecTable } from '@adaos/runtime';
import { missingTarget } from './call-input.js';
import type { Changed, Targets } from './targets.js';

export interface TargetToolDeps {
  readonly targets: Targets;
  /** Tells every replica, and the hub its skill state. */
  readonly announce: (changed: Changed) => void;
}

const HUB_CAPABILITIES = [
  ...new Set(TOOL_CONTRACTS.filter((c) => c.served_by === 'hub').map((c) => c.required_capability)),
];

/** A new target can be looked at once its skill is enabled; it lets no service be touched until the operator lists it. */
const DEFAULT_POLICY: TargetPolicy = {
  write_scope: 'test-only',
  allowed_services: [],
  allowed_capabilities: HUB_CAPABILITIES,
};

/** A new target starts without its skill: an operator enables it (fail closed). */
const NO_SKILL: TargetRecord['skill'] = { name: 'infra_access_skill', version: '0', state: 'missing' };

interface RegisterArgs {
  hub_id: string;
  title?: string;
  environment: TargetRecord['environment'];
  subnet_id: string;
  owner?: string;
  policy?: TargetPolicy;
}

/** Tools that router itself serves: the registry of managed targets. */
export const targetTools = ({ targets, announce }: TargetToolDeps): ExecTable => ({
  'operations.list_managed_targets': async (
    args: { environment?: TargetRecord['environment']; status?: string; limit?: number; cursor?: string },
    request: ExecRequest,
  ) => {
    // A lease sees its own target whatever the filter; only credentials without a target see the zone.
    const { target_id: own, subnet_id } = request.grant as Grant;
    if (own !== null) return { targets: [await targets.get(own)], next_cursor: null };
    return targets.list({
      ...args,
      limit: args.limit ?? 100,
      ...(subnet_id !== null && { subnet_id }),
    });
  },
  'operations.get_managed_target': async (_args: unknown, request: ExecRequest) => ({
    target: await targets.get(named(request)),
  }),
  'hub.get_operational_surface': async (_args: unknown, request: ExecRequest) => {
    const target = await targets.get(named(request));
    return { target, ...surfaceOf(target) };
  },
  'operations.register_target': async (args: RegisterArgs, request: ExecRequest) => {
    const { hub_id, title, environment, subnet_id, owner, policy } = args;
    const target_id = targetIdOf(hub_id);
    // What is not named stays as it is; a failure other than «not there» is no reason to start from defaults.
    const known = await targets.find(target_id);
    const grant = request.grant as Grant;
    checkFence(grant, target_id, [subnet_id, known?.subnet_id ?? subnet_id]);
    const kept = policy ?? known?.policy ?? DEFAULT_POLICY;
    const changed = await targets.register(
      {
        target_id,
        title: title ?? known?.title ?? hub_id,
        kind: 'hub',
        environment,
        subnet_id,
        owner: owner ?? known?.owner ?? request.actor,
        policy: kept,
        skill: NO_SKILL,
      },
      asSeen(grant, kept, known),
    );
    announce(changed);
    return { target: changed.target };
  },
  'operations.set_skill_state': async (
    args: { state: TargetRecord['skill']['state'] },
    request: ExecRequest,
  ) => {
    const changed = await targets.setSkill(named(request), args.state);
    announce(changed);
    return { target: changed.target };
  },
});

/** A key for a subnet or a target registers nothing elsewhere, and moves nothing into or out of it. */
function checkFence(grant: Grant, target_id: string, subnets: readonly string[]): void {
  const foreign = grant.subnet_id !== null && subnets.some((subnet_id) => subnet_id !== grant.subnet_id);
  if (foreign || (grant.target_id !== null && grant.target_id !== target_id))
    throw new OpError('target_forbidden');
}

/**
 * The version at which the target must still be, for one who may not approve and leaves changes on it without approval; undefined for any.
 * Whoever is to be stopped for approval must not do away with it, nor undo it by writing down what was read before. Throws OpError(forbidden).
 */
function asSeen(grant: Grant, policy: TargetPolicy, known: ManagedTarget | null): number | undefined {
  if (policy.approval === 'writes' || grant.capabilities.includes('operations.approve')) return undefined;
  if (known?.policy.approval === 'writes')
    throw new OpError(
      'forbidden',
      { path: '/policy/approval' },
      'Changes on this target wait for approval; only who may approve can end that.',
    );
  return known?.version ?? 0;
}

/** What is published on a target and, for every other hub tool, the first reason why it is not. */
function surfaceOf(target: ManagedTarget) {
  const { enabled, skill, capabilities } = target.operational_surface;
  const reason = (capability: string): string => {
    if (!enabled) return `infra_access_skill is ${skill.state}`;
    if (target.reported === null) return 'the hub has not reported yet';
    if (!target.policy.allowed_capabilities.includes(capability))
      return 'the policy of the target does not allow it';
    return 'the hub does not offer it';
  };
  const withheld = HUB_CAPABILITIES.filter((c) => !capabilities.includes(c)).map((c) => ({
    tool_id: c,
    reason: reason(c),
  }));
  return { published: capabilities, withheld };
}

function named(request: ExecRequest): string {
  if (request.target_id === null) throw missingTarget();
  return request.target_id;
}
