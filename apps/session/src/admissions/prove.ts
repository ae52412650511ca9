import { OpError } from '@adaos/contracts';
import type { Limits } from '@adaos/limits';
import type { Clock, Log } from '@adaos/runtime';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { textsOf } from './claims.js';
import { introspect } from './introspect.js';
import { createIssuer, type Issuer, type IssuerDeps } from './issuer.js';
import { refused } from './refusal.js';
import type { Trust } from './trust.js';
import { verifyJwt, type Claims } from './verify-jwt.js';

/** Introspections of one replica: garbage that costs the zone little must not cost the authorization server much. */
const INTROSPECTIONS = { points: 20, duration_s: 1 } as const;
const INTROSPECTIONS_AT_ONCE = 8;

/** What was found out about a token, and by whose word. */
export type Proof =
  | { readonly kind: 'operator'; readonly claims: Claims; readonly seconds: number }
  | { readonly kind: 'client'; readonly claims: Claims; readonly issuer: string; readonly seconds: number };

/** Seconds a checked signature is relied on before the token has to be shown again: a key that its issuer withdrew counts that long. */
const SIGNATURE_S = 3_600;

export interface Prover {
  /** Checks a bearer that is none of ours. Throws OpError(unauthenticated) with a reason, dependency_unavailable, rate_limited. */
  prove(bearer: string): Promise<Proof>;
  /** The identity provider, for the sign-in; null when there is none. */
  readonly oidc: Issuer | null;
  /** Checks an ID token of a sign-in. Throws as `prove`. */
  proveIdToken(id_token: string): Promise<Claims>;
}

export function createProver(
  deps: IssuerDeps & { clock: Clock; log: Log; limits: Limits },
  { oidc, oauth, clock_skew_s }: Trust,
): Prover {
  const { clock, limits, log } = deps;
  const provider =
    oidc &&
    createIssuer(deps, { url: oidc.issuer, client_id: oidc.client_id, client_secret: oidc.client_secret });
  const servers = new Map(
    oauth?.issuers.map((url) => [
      url,
      createIssuer(deps, {
        url,
        client_id: oauth.introspection?.client_id ?? 'adaos',
        client_secret: oauth.introspection?.client_secret ?? null,
        jwks_url: oauth.jwks_url,
        introspection_url: oauth.introspection?.url ?? null,
      }),
    ]),
  );

  const verify = async (token: string, issuer: Issuer, audience: string): Promise<Claims> =>
    verifyJwt(token, {
      keys: await issuer.keys(),
      issuer: issuer.url,
      audience,
      clock_skew_s,
      now: clock.now(),
    });

  async function proveJwt(token: string, payload: JWTPayload): Promise<Proof> {
    const { iss = '', aud } = payload;
    const audiences = textsOf(aud);
    // Read before they are checked, only to choose what to check them against. For both: the narrower of the two.
    const server = servers.get(iss);
    if (server && oauth && (audiences.includes(oauth.resource) || iss !== oidc?.issuer)) {
      const claims = await verify(token, server, oauth.resource);
      return { kind: 'client', claims, issuer: iss, seconds: SIGNATURE_S };
    }
    if (provider && oidc && iss === oidc.issuer) {
      const claims = await verify(token, provider, oidc.audience);
      // Of a token for several, the one it was made for is its authorized party (OpenID Connect Core, 3.1.3.7).
      if (audiences.length > 1 && claims['azp'] !== oidc.client_id) throw refused('audience');
      return { kind: 'operator', claims, seconds: SIGNATURE_S };
    }
    throw refused('issuer');
  }

  async function proveOpaque(token: string): Promise<Proof> {
    const [server] = servers.values();
    if (!oauth?.introspection || !server) throw refused('malformed');
    const rate = await limits.take('introspect', INTROSPECTIONS);
    const slot = await limits.acquire('introspect', INTROSPECTIONS_AT_ONCE, 10_000);
    try {
      if (!rate.allowed || !slot.allowed)
        throw new OpError('rate_limited', { retry_after_ms: Math.max(1_000, rate.retry_after_ms) });
      const claims = await introspect(token, server, {
        audience: oauth.resource,
        clock_skew_s,
        now: clock.now(),
        log,
      });
      return { kind: 'client', claims, issuer: server.url, seconds: oauth.introspection.ttl_s };
    } finally {
      if (slot.allowed) await slot.release();
    }
  }

  return {
    oidc: provider,
    async prove(bearer) {
      const payload = payloadOf(bearer);
      return payload ? proveJwt(bearer, payload) : proveOpaque(bearer);
    },
    async proveIdToken(id_token) {
      if (!provider || !oidc) throw refused('issuer');
      return verify(id_token, provider, oidc.client_id);
    },
  };
}

/** What a signed JWT says, unchecked; null for anything that has not its head, which may be an opaque token. */
function payloadOf(bearer: string): JWTPayload | null {
  try {
    decodeProtectedHeader(bearer);
  } catch {
    return null;
  }
  try {
    return decodeJwt(bearer);
  } catch {
    throw refused('malformed');
  }
}
