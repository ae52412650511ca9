import {
  OpError,
  roleCapabilities,
  TOOL_CONTRACTS,
  toolsFor,
  type Grant,
  type SessionLease,
} from '@adaos/contracts';
import type { LeaseRows, Operator, OperatorRows } from '@adaos/store';
import { tokenHmac } from './token.js';

export interface GrantDeps {
  readonly zone: string;
  readonly hmac_key: Buffer;
  readonly leases: LeaseRows;
  readonly operators: OperatorRows;
  readonly now: () => number;
}

/**
 * An operator credential has no deadline of its own, and no event tells that it was disabled or given another role: for at most a minute a
 * router goes on with what it resolved, at the price of one lookup a minute for an operator at work.
 */
const OPERATOR_GRANT_MS = 60_000;

/** Bearer digest → frozen grant. Throws OpError: unauthenticated (unknown), lease_expired, lease_revoked. */
export async function resolveGrant(deps: GrantDeps, bearer_digest: string): Promise<Grant> {
  const hmac = tokenHmac(deps.hmac_key, bearer_digest);
  const lease = await deps.leases.findByTokenHmac(hmac);
  if (lease) return leaseGrant(lease, deps);
  const operator = await deps.operators.findByTokenHmac(hmac);
  if (operator && operator.zone === deps.zone) return operatorGrant(operator, deps);
  throw new OpError('unauthenticated');
}

function leaseGrant(lease: SessionLease, { zone, now }: GrantDeps): Grant {
  // A lease of another zone sharing the database is as unknown as a made-up one.
  if (lease.zone !== zone) throw new OpError('unauthenticated');
  const details = { grant_id: lease.session_id, actor: lease.actor };
  if (lease.revoked_at !== null) throw new OpError('lease_revoked', details);
  if (Date.parse(lease.deadline_at) <= now()) throw new OpError('lease_expired', details);
  return {
    grant_id: lease.session_id,
    auth_method: 'mcp_session_lease',
    actor: lease.actor,
    role: null,
    zone: lease.zone,
    subnet_id: lease.subnet_id,
    target_id: lease.target_id,
    audience: lease.audience,
    capability_profile: lease.capability_profile,
    profile_version: lease.profile_version,
    capabilities: lease.capabilities,
    allowed_tools: lease.allowed_tools,
    deadline_at: lease.deadline_at,
  };
}

function operatorGrant(operator: Operator, { zone, now }: GrantDeps): Grant {
  const capabilities = roleCapabilities(operator.role, TOOL_CONTRACTS);
  return {
    grant_id: operator.operator_id,
    auth_method: 'operator_token',
    actor: `operator:${operator.name}`,
    role: operator.role,
    zone,
    subnet_id: null,
    target_id: null,
    audience: 'operator',
    capability_profile: `role:${operator.role}`,
    profile_version: 1,
    capabilities,
    allowed_tools: toolsFor(capabilities),
    deadline_at: new Date(now() + OPERATOR_GRANT_MS).toISOString(),
  };
}
