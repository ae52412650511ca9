import {
  OpError,
  roleCapabilities,
  TOOL_CONTRACTS,
  toolsFor,
  type Grant,
  type Operator,
} from '@adaos/contracts';
import type { Credential } from '@adaos/store';
import { admissionGrant, findAdmission } from './admissions/admission.js';
import { endOf } from './journal.js';
import type { SessionParts } from './parts.js';
import { tokenHmacs } from './token.js';

export type GrantDeps = Pick<
  SessionParts,
  'zone' | 'hmac_keys' | 'leases' | 'operators' | 'admissions' | 'now'
>;

/**
 * An operator token has no deadline of its own; a grant needs one. Until then changes reach every replica by event and epoch, so this only
 * bounds how long a stream of an operator may stay open.
 */
const OPERATOR_GRANT_MS = 24 * 3_600_000;

/** Bearer digest → frozen grant. Throws OpError: unauthenticated (unknown), lease_expired, lease_revoked. */
export async function resolveGrant(deps: GrantDeps, bearer_digest: string): Promise<Grant> {
  const hmacs = tokenHmacs(deps.hmac_keys, bearer_digest);
  const credential = await deps.leases.findByTokenHmac(hmacs);
  if (credential) {
    if (hmacs.length > 1) await deps.leases.rehash(credential.session_id, hmacs);
    return credentialGrant(credential, deps);
  }
  const operator = await deps.operators.findByTokenHmac(hmacs);
  if (operator) {
    if (hmacs.length > 1) await deps.operators.rehash(operator.operator_id, hmacs);
    return operatorGrant(operator, deps);
  }
  const admission = await findAdmission(deps, hmacs);
  if (admission) return admissionGrant(admission);
  throw new OpError('unauthenticated');
}

function credentialGrant(one: Credential, { zone, now }: GrantDeps): Grant {
  // A bearer of another zone sharing the database is as unknown as a made-up one.
  if (one.zone !== zone) throw new OpError('unauthenticated');
  const details = { grant_id: one.session_id, actor: one.actor };
  if (one.revoked_at !== null && Date.parse(one.revoked_at) <= now())
    throw new OpError('lease_revoked', details);
  if (Date.parse(one.deadline_at) <= now()) throw new OpError('lease_expired', details);
  return {
    grant_id: one.session_id,
    auth_method: one.kind,
    actor: one.actor,
    role: one.role,
    zone: one.zone,
    subnet_id: one.subnet_id,
    target_id: one.target_id,
    audience: one.audience,
    capability_profile: one.capability_profile,
    profile_version: one.profile_version,
    capabilities: one.capabilities,
    allowed_tools: one.allowed_tools,
    deadline_at: endOf(one),
  };
}

function operatorGrant(operator: Operator, { zone, now }: GrantDeps): Grant {
  const { operator_id, name, role } = operator;
  const actor = `operator:${name}`;
  if (operator.zone !== zone) throw new OpError('unauthenticated');
  // Told from an unknown token in the record only.
  if (operator.status !== 'active') throw new OpError('unauthenticated', { grant_id: operator_id, actor });
  const capabilities = roleCapabilities(role, TOOL_CONTRACTS);
  return {
    grant_id: operator_id,
    auth_method: 'operator_token',
    actor,
    role,
    zone,
    subnet_id: null,
    target_id: null,
    audience: 'operator',
    capability_profile: `role:${role}`,
    profile_version: 1,
    capabilities,
    allowed_tools: toolsFor(capabilities),
    deadline_at: new Date(now() + OPERATOR_GRANT_MS).toISOString(),
  };
}
