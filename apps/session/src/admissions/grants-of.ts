import {
  PROFILES,
  roleCapabilities,
  SCOPE_PROFILES,
  sha256,
  targetIdOf,
  HUB_ID,
  TOOL_CONTRACTS,
  toolsFor,
  type ProfileId,
} from '@adaos/contracts';
import type { NewAdmission, TargetRows } from '@adaos/store';
import { claimOf, textsOf } from './claims.js';
import { refused } from './refusal.js';
import type { OauthTrust, OidcTrust } from './trust.js';
import type { Claims } from './verify-jwt.js';

/** What is frozen of a checked identity: who it is and what it may do. */
export type Granted = Pick<
  NewAdmission,
  | 'auth_method'
  | 'issuer'
  | 'actor'
  | 'role'
  | 'subnet_id'
  | 'target_id'
  | 'audience'
  | 'capability_profile'
  | 'profile_version'
  | 'capabilities'
  | 'allowed_tools'
>;

/** An operator: the role that the map has for a value of the claim. @throws OpError unauthenticated without one. */
export function operatorOf(claims: Claims, trust: OidcTrust): Granted {
  const values = new Set(textsOf(claimOf(claims, trust.role_claim)));
  const role = trust.role_map.find(({ value }) => values.has(value))?.role;
  if (!role) throw refused('role');
  const capabilities = roleCapabilities(role, TOOL_CONTRACTS);
  return {
    auth_method: 'oidc',
    issuer: trust.issuer,
    actor: actorOf('oidc', trust.issuer, claims.sub),
    role,
    subnet_id: null,
    target_id: null,
    audience: 'operator',
    capability_profile: `role:${role}`,
    profile_version: 1,
    capabilities,
    allowed_tools: toolsFor(capabilities),
  };
}

/**
 * A client of one target: the capability profiles that its scopes name, together. Shaped like a lease. @throws OpError unauthenticated without a
 * profile or a target of this zone.
 */
export async function clientOf(
  claims: Claims,
  issuer: string,
  trust: OauthTrust,
  { zone, targets }: { zone: string; targets: Pick<TargetRows, 'get'> },
): Promise<Granted> {
  const profiles = profilesOf(claims, trust);
  const target_id = targetOf(claims, trust);
  const target = target_id === null ? null : await targets.get(target_id);
  if (!target || target.zone !== zone) throw refused('target');
  const capabilities = [...new Set(profiles.flatMap((id) => PROFILES[id].capabilities as readonly string[]))];
  return {
    auth_method: 'oauth_access_token',
    issuer,
    actor: actorOf('oauth', issuer, claims.sub),
    role: null,
    subnet_id: target.subnet_id,
    target_id: target.target_id,
    audience: trust.resource,
    capability_profile: profiles.join('+'),
    profile_version: Math.max(...profiles.map((id) => PROFILES[id].version)),
    capabilities,
    allowed_tools: toolsFor(capabilities),
  };
}

/** `scope` is one text (RFC 9068), `scp` a list at some servers. A scope that names no profile of ours is somebody else's. */
function profilesOf(claims: Claims, { scope_prefix }: OauthTrust): ProfileId[] {
  const scopes = new Set([...textsOf(claims['scope']).join(' ').split(' '), ...textsOf(claims['scp'])]);
  const named = SCOPE_PROFILES.filter((id) => scopes.has(scope_prefix + id)).sort();
  // The names stand in every record, in a field that holds 64 characters.
  if (named.length === 0 || named.join('+').length > 64) throw refused('scope');
  return named;
}

/** The one target a token is for. A claim that names several names none: which of them would be a guess. */
function targetOf(claims: Claims, { target_claim, default_target }: OauthTrust): string | null {
  const named = target_claim === null ? undefined : claimOf(claims, target_claim);
  if (named === undefined) return default_target;
  const [name, ...more] = textsOf(named);
  if (name === undefined || more.length > 0) return null;
  const hub_id = name.replace(/^hub:/, '');
  return HUB_ID.test(hub_id) ? targetIdOf(hub_id) : null;
}

const MAX_ACTOR = 128;

/** Who acts, as records name them. One that is too long or holds odd characters goes in by its digest: two people never become one. */
export function actorOf(kind: 'oidc' | 'oauth', issuer: string, sub: string): string {
  const { host, pathname } = new URL(issuer);
  // Two realms of one server are two issuers.
  const where = host + (pathname === '/' ? '' : pathname.replace(/\/$/, ''));
  const actor = `${kind}:${where}:${sub}`;
  if (actor.length <= MAX_ACTOR && /^[\x21-\x7e]+$/.test(actor) && !sub.startsWith('#')) return actor;
  return `${kind}:${host.slice(-48)}:#${sha256(JSON.stringify([issuer, sub])).slice(0, 32)}`;
}
