import {
  API_KEY_TTL,
  OPERATORS_ONLY,
  OpError,
  profileOf,
  roleCapabilities,
  TOOL_CONTRACTS,
  toolsFor,
  type ApiKey,
  type ExecRequest,
} from '@adaos/contracts';
import type { Credential } from '@adaos/store';
import { checkHolds, grantOf, issuerEnd, lifeOf } from './issue.js';
import { listCredentials, type ListArguments } from './listing.js';
import { newBearer, type SessionParts } from './parts.js';
import { revokeCredential } from './revoke.js';

interface CreateArguments {
  name: string;
  role?: NonNullable<ApiKey['role']>;
  capabilities?: string[];
  issue_profiles?: string[];
  subnet_id?: string;
  ttl_seconds?: number;
  note?: string;
}

/** Acts on leases and tokens: what a key needs that issues. */
const ISSUING = profileOf('LeaseAdmin').capabilities;
/** Acts on the zone as a whole: not for a key that is fenced to a part of it. */
const ZONE_WIDE = TOOL_CONTRACTS.filter((c) => c.plane_id === 'zone_admin').map((c) => c.required_capability);

/** Makes a key within what its maker holds. What it may do is frozen here, so that a later build does not widen it. */
export async function createApiKey(parts: SessionParts, args: CreateArguments, request: ExecRequest) {
  const maker = grantOf(request);
  const restriction = restrictionOf(args, request);
  const capabilities = capabilitiesOf(args, restriction.subnet_id === null ? OPERATORS_ONLY : ZONE_WIDE);
  checkHolds(maker, capabilities);
  const now = parts.now();
  const wanted = now + (args.ttl_seconds ?? API_KEY_TTL.default) * 1_000;
  const { bearer, token_hmac } = newBearer(parts, 'apk');
  const issued = await parts.leases.insert(
    {
      session_id: parts.ids.next('key'),
      token_hmac,
      kind: 'api_key',
      name: args.name,
      role: args.role ?? null,
      issue_profiles: args.issue_profiles ?? null,
      zone: parts.zone,
      ...restriction,
      audience: 'api_key',
      actor: `api_key:${args.name}`,
      issued_by: maker.actor,
      issuer_id: maker.grant_id,
      capability_profile: args.role ? `role:${args.role}` : 'api_key',
      profile_version: 1,
      capabilities,
      allowed_tools: toolsFor(capabilities),
      ...lifeOf(wanted, [issuerEnd(maker)], maker, now),
      note: args.note ?? '',
    },
    maker,
  );
  parts.journal.issued(issued, request, { name: args.name });
  return { key: asKey(issued), api_key: bearer };
}

export async function listApiKeys(
  parts: SessionParts,
  { key_id, ...args }: ListArguments & { key_id?: string },
  request: ExecRequest,
) {
  const { items, ...page } = await listCredentials(parts, 'api_key', args, request, key_id);
  return { keys: items.map(asKey), ...page };
}

export async function revokeApiKey(
  parts: SessionParts,
  { key_id, reason }: { key_id: string; reason?: string },
  request: ExecRequest,
) {
  const missing = () => new OpError('invalid_argument', { path: '/key_id' }, 'No such key in this zone.');
  return { key: asKey(await revokeCredential(parts, 'api_key', key_id, reason, request, missing)) };
}

const refused = (path: string, message: string, details: Record<string, unknown> = {}) =>
  new OpError('invalid_argument', { path, ...details }, message);

function capabilitiesOf(
  { role, capabilities, issue_profiles = [] }: CreateArguments,
  never: readonly string[],
): string[] {
  const issuable = issue_profiles.flatMap((name) => profileOf(name).capabilities);
  if (role) {
    if (capabilities) throw refused('/capabilities', 'Give the key a role or capabilities, not both.');
    return roleCapabilities(role, TOOL_CONTRACTS).filter((c) => !never.includes(c));
  }
  const wanted = [...new Set([...(capabilities ?? []), ...(issuable.length ? ISSUING : []), ...issuable])];
  if (wanted.length === 0) throw refused('/role', 'Give the key a role, capabilities or profiles to issue.');
  const known = new Set(TOOL_CONTRACTS.map((contract) => contract.required_capability));
  const unknown = wanted.filter((c) => !known.has(c) || never.includes(c));
  if (unknown.length) throw refused('/capabilities', 'A key can not hold that.', { not_for_keys: unknown });
  return wanted;
}

/** A target is in one subnet: with a target named, another subnet would be a key that opens nothing. */
function restrictionOf({ subnet_id }: CreateArguments, request: ExecRequest) {
  if (request.target_id === null)
    return { target_id: null, subnet_id: subnet_id ?? grantOf(request).subnet_id };
  if (subnet_id !== undefined && subnet_id !== request.subnet_id)
    throw refused('/subnet_id', 'The target is in another subnet.');
  return { target_id: request.target_id, subnet_id: request.subnet_id };
}

function asKey(one: Credential): ApiKey {
  const { session_id, kind: _, issuer_id: __, audience: ___, rotated_from: ____, ...key } = one;
  return { key_id: session_id, ...key } as ApiKey;
}
