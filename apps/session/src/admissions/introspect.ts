import * as openid from 'openid-client';
import type { Log } from '@adaos/runtime';
import type { Issuer } from './issuer.js';
import { issuerAway } from './issuer-fetch.js';
import { refused } from './refusal.js';
import { textsOf } from './claims.js';
import { checkedClaims, type Claims } from './verify-jwt.js';

/**
 * Asks the authorization server about an opaque token (RFC 7662) and checks the answer as if it were a signed token: it is active also for
 * other resources of that server. Throws OpError(unauthenticated), or dependency_unavailable.
 */
export async function introspect(
  token: string,
  issuer: Issuer,
  expected: { audience: string; clock_skew_s: number; now: number; log: Log },
): Promise<Claims> {
  const config = await issuer.client();
  let answer: openid.IntrospectionResponse;
  try {
    answer = await openid.tokenIntrospection(config, token, { token_type_hint: 'access_token' });
  } catch (error) {
    // Also when our own credentials are wrong: nothing was said of the token.
    const { code, message } = error as { code?: string; message?: string };
    expected.log.warn({ issuer: issuer.url, code, reason: message }, 'introspection failed');
    throw issuerAway();
  }
  if (answer.active !== true) throw refused('inactive');
  if (answer.iss !== undefined && answer.iss !== issuer.url) throw refused('issuer');
  if (!textsOf(answer.aud).includes(expected.audience)) throw refused('audience');
  if (answer.token_type !== undefined && answer.token_type.toLowerCase() !== 'bearer') throw refused('bound');
  // A client that acts for itself has no subject of its own (RFC 9068, section 2.2).
  const { sub = answer.client_id, ...rest } = answer as Record<string, unknown>;
  return checkedClaims({ ...rest, sub: sub as string }, expected);
}
