import { createHash } from 'node:crypto';

/** `prev_hash` of a zone's first record. */
export const GENESIS_HASH = '0'.repeat(64);

/**
 * Hash of a record in its zone's chain: SHA-256, hex, over the previous hash, the body's UTF-8 bytes and the sequence number in decimal.
 * A body ends with "}", so the parts can't be shifted into one another.
 */
export const chainHash = (prev_hash: string, body: string, seq: number): string =>
  createHash('sha256').update(prev_hash).update(body, 'utf8').update(String(seq)).digest('hex');
