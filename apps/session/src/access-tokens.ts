import { ACCESS_TOKEN_TTL, OpError, type AccessToken, type ExecRequest } from '@adaos/contracts';
import type { Credential } from '@adaos/store';
import { grantedLease, grantOf, type GrantArguments } from './issue.js';
import { listCredentials, type ListArguments } from './listing.js';
import { newBearer, type SessionParts } from './parts.js';
import { revokeCredential } from './revoke.js';

interface IssueArguments extends GrantArguments {
  audience: string;
  ttl_seconds?: number;
}

/** Issues a token on the target of the call, with what a native client needs to reach the zone. */
export async function issueAccessToken(parts: SessionParts, args: IssueArguments, request: ExecRequest) {
  const granted = await grantedLease(parts, args, args.ttl_seconds ?? ACCESS_TOKEN_TTL.default, request);
  const token_id = parts.ids.next('tok');
  const { bearer, token_hmac } = newBearer(parts, 'atk');
  const issued = await parts.leases.insert(
    {
      ...granted,
      session_id: token_id,
      actor: `access_token:${token_id}`,
      token_hmac,
      kind: 'access_token',
      audience: args.audience,
    },
    grantOf(request),
  );
  parts.journal.issued(issued, request);
  const token = asToken(issued);
  const { zone, subnet_id } = token;
  return { root_url: parts.root_url(), subnet_id, zone, access_token: bearer, token };
}

export async function listAccessTokens(
  parts: SessionParts,
  { token_id, ...args }: ListArguments & { token_id?: string },
  request: ExecRequest,
) {
  const { items, ...page } = await listCredentials(parts, 'access_token', args, request, token_id);
  return { tokens: items.map(asToken), ...page };
}

export async function revokeAccessToken(
  parts: SessionParts,
  { token_id, reason }: { token_id: string; reason?: string },
  request: ExecRequest,
) {
  const missing = () =>
    new OpError('invalid_argument', { path: '/token_id' }, 'No such token on this target.');
  return {
    token: asToken(await revokeCredential(parts, 'access_token', token_id, reason, request, missing)),
  };
}

function asToken(one: Credential): AccessToken {
  const { session_id, kind: _, issuer_id: __, name: ___, role: ____, ...rest } = one;
  const { issue_profiles: _____, rotated_from: ______, ...token } = rest;
  return { token_id: session_id, ...token } as AccessToken;
}
