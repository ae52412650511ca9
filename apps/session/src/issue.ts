import { OpError, profileOf, toolsFor, type ExecRequest, type Grant } from '@adaos/contracts';
import type { CredentialKind, LeaseScope, NewLease } from '@adaos/store';
import type { SessionParts } from './parts.js';

export interface GrantArguments {
  capability_profile: string;
  capabilities?: string[];
  note?: string;
}

/** Router resolved and judged it; it comes beside the arguments. */
export const grantOf = (request: ExecRequest): Grant => request.grant as Grant;

/** What a caller may reach of a kind: its zone, its subnet where it has one, and the target of the call. */
export function scopeOf(zone: string, kind: CredentialKind, request: ExecRequest): LeaseScope {
  const { subnet_id } = grantOf(request);
  return {
    zone,
    kind,
    ...(subnet_id !== null && { subnet_id }),
    ...(request.target_id !== null && { target_id: request.target_id }),
  };
}

/** Everything of a new lease or token on the target of the call but its bearer, within the profile and within the issuer (D4). */
export async function grantedLease(
  parts: SessionParts,
  args: GrantArguments,
  ttl_seconds: number,
  request: ExecRequest,
): Promise<Omit<NewLease, 'session_id' | 'actor' | 'token_hmac' | 'audience'>> {
  const issuer = grantOf(request);
  const { target_id, subnet_id } = targetOf(request);
  const profile = profileOf(args.capability_profile);
  await checkIssuable(parts, issuer, args.capability_profile);
  const capabilities = capabilitiesFor(args, issuer);
  return {
    zone: parts.zone,
    subnet_id,
    target_id,
    issued_by: issuer.actor,
    issuer_id: issuer.grant_id,
    capability_profile: args.capability_profile,
    profile_version: profile.version,
    capabilities,
    allowed_tools: toolsFor(capabilities),
    ...lifeOf(parts.now() + ttl_seconds * 1_000, [issuerEnd(issuer)], issuer, parts.now()),
    note: args.note ?? '',
  };
}

/** Milliseconds at which what it issues must have ended. A person's session with the zone is no bound: what they hand out is meant to outlast it. */
export const issuerEnd = ({ auth_method, deadline_at }: Grant): number =>
  auth_method === 'operator_token' || auth_method === 'oidc' ? Infinity : Date.parse(deadline_at);

/** From now to the wanted end or the first bound before it; the seconds it names are those it gets. Throws OpError(lease_expired). */
export function lifeOf(wanted: number, bounds: readonly number[], issuer: Grant, now: number) {
  const end = Math.min(wanted, ...bounds);
  if (end <= now) throw new OpError('lease_expired', { grant_id: issuer.grant_id, actor: issuer.actor });
  return {
    created_at: new Date(now).toISOString(),
    deadline_at: new Date(end).toISOString(),
    // Rounded up: a life below a second still is one.
    ttl_seconds: Math.ceil((end - now) / 1_000),
  };
}

/** A key may be bound to the profiles it issues. */
export async function checkIssuable(
  parts: SessionParts,
  issuer: Grant,
  capability_profile: string,
): Promise<void> {
  if (issuer.auth_method !== 'api_key') return;
  const profiles = (await parts.leases.get(issuer.grant_id))?.issue_profiles;
  if (profiles && !profiles.includes(capability_profile))
    throw new OpError('forbidden', { issue_profiles: profiles }, 'This key may not issue that profile.');
}

/** Throws OpError(forbidden): what would be handed out is more than who hands it out holds. */
export function checkHolds(issuer: Grant, wanted: readonly string[]): void {
  const lacking = wanted.filter((c) => !issuer.capabilities.includes(c));
  if (lacking.length)
    throw new OpError('forbidden', { lacking }, 'A bearer can not hold more than its issuer holds.');
}

function capabilitiesFor(args: GrantArguments, issuer: Grant): string[] {
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
    throw new OpError('invalid_argument', { path: '/capabilities' }, 'It needs at least one capability.');
  checkHolds(issuer, wanted);
  return wanted;
}

function targetOf(request: ExecRequest): { target_id: string; subnet_id: string } {
  const { target_id, subnet_id } = request;
  if (target_id === null || !subnet_id) {
    throw new OpError(
      'invalid_argument',
      { path: '/target_id', rule: 'required' },
      'Name the target it is for.',
    );
  }
  return { target_id, subnet_id };
}
