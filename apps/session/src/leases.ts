import {
  LEASE_TTL,
  OpError,
  profileOf,
  sha256,
  toolsFor,
  type ExecRequest,
  type Grant,
  type SessionLease,
} from '@adaos/contracts';
import { leaseActor, type LeaseRows } from '@adaos/store';
import type { Ids } from '@adaos/runtime';
import { tokenHmac } from './token.js';

export interface LeaseDeps {
  readonly zone: string;
  readonly hmac_key: Buffer;
  readonly leases: LeaseRows;
  readonly ids: Ids;
  readonly now: () => number;
  readonly announceRevoked: (lease: SessionLease, epoch: number) => void;
}

interface IssueArgs {
  capability_profile: string;
  capabilities?: string[];
  ttl_seconds?: number;
  audience?: string;
  note?: string;
}

/** Issues a lease on the target of the call. The bearer is in the answer and nowhere else. */
export async function issueLease(deps: LeaseDeps, args: IssueArgs, request: ExecRequest) {
  const issuer = request.grant as Grant;
  const { target_id, subnet_id } = targetOf(request);
  const capabilities = capabilitiesFor(args, issuer);
  const now = deps.now();
  const { end, ttl_seconds } = lifeOf(args.ttl_seconds ?? LEASE_TTL.default, issuer, now);
  const session_id = deps.ids.next('lse');
  const bearer = deps.ids.bearer('mcp');
  const session = await deps.leases.insert({
    session_id,
    token_hmac: tokenHmac(deps.hmac_key, sha256(bearer)),
    zone: deps.zone,
    subnet_id,
    target_id,
    audience: args.audience ?? 'mcp',
    actor: leaseActor(session_id),
    issued_by: issuer.actor,
    capability_profile: args.capability_profile,
    profile_version: profileOf(args.capability_profile).version,
    capabilities,
    allowed_tools: toolsFor(capabilities),
    created_at: new Date(now).toISOString(),
    deadline_at: new Date(end).toISOString(),
    ttl_seconds,
    note: args.note ?? '',
    rotated_from: null,
  });
  return { session, bearer };
}

/** End (ms) and life of a new lease: it can't outlive the lease it is issued under, and the seconds it names are those it gets. */
function lifeOf(wanted_seconds: number, issuer: Grant, now: number) {
  const wanted = now + wanted_seconds * 1000;
  if (issuer.auth_method !== 'mcp_session_lease') return { end: wanted, ttl_seconds: wanted_seconds };
  const end = Math.min(wanted, Date.parse(issuer.deadline_at));
  if (end <= now) throw new OpError('lease_expired', { grant_id: issuer.grant_id, actor: issuer.actor });
  // Rounded up: a life below a second still is one.
  return { end, ttl_seconds: Math.ceil((end - now) / 1000) };
}

/** What the new lease may hold: the profile or a subset of it, and never more than its issuer holds (D4). */
function capabilitiesFor(args: IssueArgs, issuer: Grant): string[] {
  const profile = profileOf(args.capability_profile);
  const wanted = args.capabilities ? [...new Set(args.capabilities)] : [...profile.capabilities];
  const foreign = wanted.filter((c) => !profile.capabilities.includes(c));
  if (foreign.length) {
    throw new OpError(
      'invalid_argument',
      { path: '/capabilities', not_in_profile: foreign },
      'A capability is not part of the profile.',
    );
  }
  if (wanted.length === 0)
    throw new OpError(
      'invalid_argument',
      { path: '/capabilities' },
      'A lease needs at least one capability.',
    );
  const lacking = wanted.filter((c) => !issuer.capabilities.includes(c));
  if (lacking.length)
    throw new OpError('forbidden', { lacking }, 'A lease can not hold more than its issuer holds.');
  return wanted;
}

interface ListArgs {
  status?: SessionLease['status'];
  session_id?: string;
  limit?: number;
  cursor?: string;
}

/** Leases the caller may see: its own target's, or for an operator the zone's. Use counts come from the record, exactly once. */
export async function listLeases(deps: LeaseDeps, args: ListArgs, request: ExecRequest) {
  const scope = { zone: deps.zone, ...scopeOf(request) };
  if (args.session_id !== undefined) {
    const one = await visible(deps, args.session_id, request);
    return { sessions: one ? [one] : [], next_cursor: null };
  }
  const { items, next_cursor } = await deps.leases.list({ ...args, ...scope });
  return { sessions: items, next_cursor };
}

/** Ends a lease, and what was issued under it, on every replica. Unknown and foreign ids look alike. */
export async function revokeLease(
  deps: LeaseDeps,
  args: { session_id: string; reason?: string },
  request: ExecRequest,
) {
  const revoked =
    (await visible(deps, args.session_id, request)) &&
    (await deps.leases.revoke(args.session_id, request.actor, args.reason ?? ''));
  if (!revoked)
    throw new OpError('invalid_argument', { path: '/session_id' }, 'No such lease on this target.');
  // Told again on a repeat: a replica that missed the first telling hears the second.
  for (const lease of [revoked.lease, ...revoked.descendants]) deps.announceRevoked(lease, revoked.epoch);
  return { session: revoked.lease };
}

async function visible(
  deps: LeaseDeps,
  session_id: string,
  request: ExecRequest,
): Promise<SessionLease | null> {
  const lease = await deps.leases.get(session_id);
  const { target_id } = scopeOf(request);
  return lease && lease.zone === deps.zone && (target_id === undefined || lease.target_id === target_id)
    ? lease
    : null;
}

const scopeOf = (request: ExecRequest): { target_id?: string } =>
  request.target_id === null ? {} : { target_id: request.target_id };

function targetOf(request: ExecRequest): { target_id: string; subnet_id: string } {
  const { target_id, subnet_id } = request;
  if (target_id === null || !subnet_id) {
    throw new OpError(
      'invalid_argument',
      { path: '/target_id', rule: 'required' },
      'Name the target of the lease.',
    );
  }
  return { target_id, subnet_id };
}
