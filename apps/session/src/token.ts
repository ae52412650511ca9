import { createHmac } from 'node:crypto';

/**
 * What is stored of a bearer: HMAC-SHA256 of its SHA-256 under the zone's key (D4). A leaked table alone can't be searched for a
 * guessed bearer, and the lookup by index compares no secret byte by byte.
 */
export const tokenHmac = (key: Buffer, bearer_digest: string): Buffer =>
  createHmac('sha256', key).update(Buffer.from(bearer_digest, 'hex')).digest();
