import { OpError } from '@adaos/contracts';
import type { Clock, Log } from '@adaos/runtime';
import { createRemoteJWKSet, customFetch as joseFetch, type JWTVerifyGetKey } from 'jose';
import * as openid from 'openid-client';
import { isTrustedUrl, issuerAway, issuerFetch } from './issuer-fetch.js';

/** Milliseconds a metadata document is used. */
const METADATA_MS = 3_600_000;
/** Milliseconds an issuer that did not answer is not asked again: a flood of tokens must not become one of requests to it. */
const AWAY_MS = 2_000;
/** Milliseconds after a fetch of keys in which an unknown key id is simply unknown, for the same reason. */
const KEYS_COOLDOWN_MS = 10_000;

export interface IssuerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly keys_cooldown_ms?: number;
}

export interface IssuerOptions {
  readonly url: string;
  readonly client_id: string;
  /** Null: a public client. */
  readonly client_secret: string | null;
  readonly jwks_url?: string | null;
  readonly introspection_url?: string | null;
}

/** One trusted issuer, asked for its metadata and keys when they are first needed and not before: a zone starts without it. */
export interface Issuer {
  readonly url: string;
  /** Its endpoints, with the zone as its client. Throws OpError(dependency_unavailable). */
  client(): Promise<openid.Configuration>;
  /** Its keys. Throws OpError(dependency_unavailable). */
  keys(): Promise<JWTVerifyGetKey>;
}

export function createIssuer(deps: IssuerDeps, options: IssuerOptions): Issuer {
  const { clock, log, keys_cooldown_ms = KEYS_COOLDOWN_MS } = deps;
  const { url, client_id, client_secret, jwks_url, introspection_url } = options;
  let known: { config: openid.Configuration; until: number } | undefined;
  let asking: Promise<openid.Configuration> | undefined;
  let away_until = 0;
  let keys: { at: string; get: JWTVerifyGetKey } | undefined;

  const auth = client_secret === null ? openid.None() : openid.ClientSecretBasic(client_secret);

  async function discover(): Promise<openid.Configuration> {
    // OpenID Connect's well-known path first, then RFC 8414's: an authorization server need not be an identity provider.
    for (const algorithm of ['oidc', 'oauth2'] as const) {
      try {
        return await openid.discovery(new URL(url), client_id, undefined, auth, {
          algorithm,
          // issuerFetch has the stricter rule of the two.
          execute: [openid.allowInsecureRequests],
          [openid.customFetch]: issuerFetch,
        });
      } catch (error) {
        const { code, message } = error as { code?: string; message?: string };
        log.warn(
          { issuer: url, algorithm, code, reason: message },
          'the metadata of an issuer could not be read',
        );
        if (error instanceof OpError) break;
      }
    }
    throw issuerAway();
  }

  async function client(): Promise<openid.Configuration> {
    if (known && known.until > clock.now()) return known.config;
    if (clock.now() < away_until) throw issuerAway();
    asking ??= discover()
      .then((found) => {
        const { supportsPKCE: _, jwks_uri, introspection_endpoint, ...server } = found.serverMetadata();
        const config = new openid.Configuration(
          {
            ...server,
            ...pick('jwks_uri', jwks_url ?? jwks_uri),
            ...pick('introspection_endpoint', introspection_url ?? introspection_endpoint),
          },
          client_id,
          undefined,
          auth,
        );
        openid.allowInsecureRequests(config);
        config[openid.customFetch] = issuerFetch;
        known = { config, until: clock.now() + METADATA_MS };
        return config;
      })
      .catch((error: unknown) => {
        away_until = clock.now() + AWAY_MS;
        throw error;
      })
      .finally(() => (asking = undefined));
    return asking;
  }

  return {
    url,
    client,
    async keys() {
      const at = jwks_url ?? (await client()).serverMetadata().jwks_uri;
      if (at === undefined || !isTrustedUrl(at)) throw issuerAway();
      if (keys?.at !== at) {
        const get = createRemoteJWKSet(new URL(at), {
          cooldownDuration: keys_cooldown_ms,
          [joseFetch]: guarded,
        });
        keys = { at, get };
      }
      return keys.get;
    },
  };

  /** Keys are fetched by the library, once for all who wait; while the issuer is away not even that. */
  async function guarded(at: string, init: RequestInit): Promise<Response> {
    if (clock.now() < away_until) throw issuerAway();
    try {
      const response = await issuerFetch(at, init as Parameters<typeof issuerFetch>[1]);
      if (response.status !== 200) throw issuerAway();
      return response;
    } catch (error) {
      away_until = clock.now() + AWAY_MS;
      log.warn({ issuer: url }, 'the keys of an issuer could not be read');
      throw error;
    }
  }
}

const pick = <K extends string>(name: K, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<K, string>>;
