import { LEASE_TTL, OpError, type ExecRequest, type SessionLease } from '@adaos/contracts';
import { leaseActor, type Credential } from '@adaos/store';
import {
  checkHolds,
  checkIssuable,
  grantedLease,
  grantOf,
  issuerEnd,
  lifeOf,
  scopeOf,
  type GrantArguments,
} from './issue.js';
import { listCredentials, type ListArguments } from './listing.js';
import { newBearer, type SessionParts } from './parts.js';
import { revokeCredential } from './revoke.js';

interface IssueArguments extends GrantArguments {
  ttl_seconds?: number;
  audience?: string;
}

/** Issues a lease on the target of the call. The bearer is in the answer and nowhere else. */
export async function issueLease(parts: SessionParts, args: IssueArguments, request: ExecRequest) {
  const granted = await grantedLease(parts, args, args.ttl_seconds ?? LEASE_TTL.default, request);
  const session_id = parts.ids.next('lse');
  const { bearer, token_hmac } = newBearer(parts, 'mcp');
  const issued = await parts.leases.insert(
    {
      ...granted,
      session_id,
      actor: leaseActor(session_id),
      token_hmac,
      kind: 'mcp_session_lease',
      audience: args.audience ?? 'mcp',
    },
    grantOf(request),
  );
  parts.journal.issued(issued, request);
  return { session: asSession(issued), bearer };
}

/** Leases the caller may see. Use counts come from the record, exactly once. */
export async function listLeases(
  parts: SessionParts,
  { session_id, ...args }: ListArguments & { session_id?: string },
  request: ExecRequest,
) {
  const { items, ...page } = await listCredentials(parts, 'mcp_session_lease', args, request, session_id);
  return { sessions: items.map(asSession), ...page };
}

export async function revokeLease(
  parts: SessionParts,
  { session_id, reason }: { session_id: string; reason?: string },
  request: ExecRequest,
) {
  return {
    session: asSession(
      await revokeCredential(parts, 'mcp_session_lease', session_id, reason, request, noSuchLease),
    ),
  };
}

interface RotateArguments {
  session_id?: string;
  overlap_seconds?: number;
  ttl_seconds?: number;
  note?: string;
}

/**
 * A new bearer with the grant of the old one. Whoever rotates gets to see a bearer, so that it must hold all of what that opens, and can't be
 * outlived by it; a lease that rotates itself hands nothing to anybody new and keeps its issuer.
 */
export async function rotateLease(parts: SessionParts, args: RotateArguments, request: ExecRequest) {
  const { leases, journal, zone } = parts;
  const caller = grantOf(request);
  const session_id = args.session_id ?? ownLease(request);
  const old = await leases.get(session_id, scopeOf(zone, 'mcp_session_lease', request));
  if (!old) throw noSuchLease();
  checkHolds(caller, old.capabilities);
  await checkIssuable(parts, caller, old.capability_profile);
  const now = parts.now();
  if (old.status !== 'active' || old.revoked_at !== null) throw hasEnded(old);
  const wanted =
    args.ttl_seconds === undefined ? Date.parse(old.deadline_at) : now + args.ttl_seconds * 1_000;
  const origin = await leases.get(old.issuer_id, { zone });
  const bounds = [issuerEnd(caller), origin ? Date.parse(origin.deadline_at) : Infinity];
  const by_itself = caller.grant_id === old.session_id;
  const overlap_seconds = args.overlap_seconds ?? 0;
  const next_id = parts.ids.next('lse');
  const { bearer, token_hmac } = newBearer(parts, 'mcp');
  const rotation = await leases.rotate(
    old.session_id,
    {
      by: request.actor,
      reason: 'rotated',
      until: new Date(now + overlap_seconds * 1_000).toISOString(),
      maker: caller,
    },
    {
      ...grantIn(old),
      ...lifeOf(wanted, bounds, caller, now),
      session_id: next_id,
      actor: leaseActor(next_id),
      token_hmac,
      issued_by: by_itself ? old.issued_by : caller.actor,
      issuer_id: by_itself ? old.issuer_id : caller.grant_id,
      note: args.note ?? old.note,
    },
  );
  if (!rotation) throw hasEnded(old);
  const { lease, previous, epoch } = rotation;
  journal.announce(previous.session_id, previous.target_id, epoch, {
    final: overlap_seconds === 0,
  });
  journal.issued(lease, request, { rotated_from: previous.session_id, overlap_seconds });
  return { session: asSession(lease), bearer, previous: asSession(previous) };
}

function ownLease(request: ExecRequest): string {
  const { auth_method, grant_id } = grantOf(request);
  if (auth_method === 'mcp_session_lease') return grant_id;
  throw new OpError(
    'invalid_argument',
    { path: '/session_id', rule: 'required' },
    'Name the lease to rotate.',
  );
}

const grantIn = (one: Credential) => {
  const { kind, audience, zone, target_id, subnet_id, capability_profile, profile_version } = one;
  const { capabilities, allowed_tools } = one;
  return {
    ...{ kind, audience, zone, target_id, subnet_id, capability_profile, profile_version },
    ...{ capabilities, allowed_tools },
  };
};

const noSuchLease = () =>
  new OpError('invalid_argument', { path: '/session_id' }, 'No such lease on this target.');
const hasEnded = ({ session_id }: Credential) =>
  new OpError(
    'conflict',
    { session_id },
    'The lease has ended or was rotated already; see the list for its successor.',
  );

/** The wire shape of a lease: what is stored for other kinds is no part of it. */
function asSession(one: Credential): SessionLease {
  const { kind: _, issuer_id: __, name: ___, role: ____, issue_profiles: _____, ...session } = one;
  return session as SessionLease;
}
