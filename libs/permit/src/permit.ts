import { createPublicKey, type KeyObject } from 'node:crypto';
import { OpError } from '@adaos/contracts';
import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

/**
 * A signed allow (D13). `read`: bound to lease, tool and hub, reusable until `exp`. `write`: also to one request and the digest of
 * its arguments, so that it allows one effect and nothing else.
 */
export interface PermitClaims {
  readonly permit_id: string;
  readonly zone: string;
  readonly hub_id: string;
  readonly lease_id: string;
  readonly tool_id: string;
  readonly kind: 'read' | 'write';
  readonly request_id?: string;
  readonly arguments_digest?: string;
  readonly dry_run?: boolean;
}

/** Signs a permit that ends after `ttl_seconds`. `key` is an Ed25519 private key. JWS, RFC 7515 and RFC 8037. */
export async function signPermit(
  key: KeyObject,
  claims: PermitClaims,
  now_ms: number,
  ttl_seconds: number,
): Promise<string> {
  const { permit_id, zone, hub_id, lease_id, ...rest } = claims;
  const now = Math.floor(now_ms / 1000);
  return new SignJWT({ ...rest })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'permit+jwt' })
    .setJti(permit_id)
    .setIssuer(zone)
    .setAudience(hub_id)
    .setSubject(lease_id)
    .setIssuedAt(now)
    .setExpirationTime(now + ttl_seconds)
    .sign(key);
}

/** What the enforcement point is about to run; every part must be in the permit. */
export interface PermitUse {
  readonly lease_id: string;
  readonly tool_id: string;
  readonly kind: 'read' | 'write';
  readonly request_id: string;
  readonly arguments_digest: string;
  readonly dry_run: boolean;
}

/**
 * Makes the hub-side check for one zone, hub and root key. A read permit's signature is verified once and remembered until it
 * expires. Throws OpError(forbidden) whose `details.reason` names the first part that does not fit.
 */
export function permitVerifier(options: {
  public_key: KeyObject | string;
  zone: string;
  hub_id: string;
  now: () => number;
}) {
  const key =
    typeof options.public_key === 'string' ? createPublicKey(options.public_key) : options.public_key;
  const verified = new LRUCache<string, PermitClaims & { exp: number }>({ max: 1_000 });
  const refuse = (reason: string) => new OpError('forbidden', { reason }, 'The permit does not allow this.');

  async function claimsOf(permit: string): Promise<PermitClaims & { exp: number }> {
    const known = verified.get(permit);
    if (known) return known;
    const { payload } = await jwtVerify(permit, key, {
      algorithms: ['EdDSA'],
      typ: 'permit+jwt',
      issuer: options.zone,
      audience: options.hub_id,
      clockTolerance: 5,
      currentDate: new Date(options.now()),
    }).catch((error: { code?: string }) => {
      throw refuse(error.code === 'ERR_JWT_EXPIRED' ? 'expired' : 'signature');
    });
    const claims = {
      ...payload,
      permit_id: payload.jti,
      lease_id: payload.sub,
      zone: payload.iss,
      hub_id: options.hub_id,
    } as unknown as PermitClaims & { exp: number };
    if (claims.kind === 'read') verified.set(permit, claims);
    return claims;
  }

  return async function verify(permit: string | undefined, use: PermitUse): Promise<PermitClaims> {
    if (!permit) throw refuse('missing');
    const claims = await claimsOf(permit);
    if (claims.exp * 1000 + 5_000 < options.now()) throw refuse('expired');
    if (claims.lease_id !== use.lease_id) throw refuse('lease');
    if (claims.tool_id !== use.tool_id) throw refuse('tool');
    if (claims.kind !== use.kind) throw refuse('kind');
    if (claims.kind === 'write') {
      if (claims.request_id !== use.request_id) throw refuse('request');
      if (claims.arguments_digest !== use.arguments_digest) throw refuse('arguments');
      if ((claims.dry_run ?? false) !== use.dry_run) throw refuse('dry_run');
    }
    return claims;
  };
}
