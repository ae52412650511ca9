import { createHmac } from 'node:crypto';

/**
 * What is stored of a bearer: HMAC-SHA256 of its SHA-256 under the zone's key (D4). A leaked table alone can't be searched for a
 * guessed bearer, and the lookup by index compares no secret byte by byte.
 */
export const tokenHmac = (key: Buffer, bearer_digest: string): Buffer =>
  createHmac('sha256', key).update(Buffer.from(bearer_digest, 'hex')).digest();

/** The hashes a bearer may be stored under: by the newest key first, then by those that are being replaced. */
export const tokenHmacs = (keys: readonly Buffer[], bearer_digest: string): Buffer[] =>
  keys.map((key) => tokenHmac(key, bearer_digest));
