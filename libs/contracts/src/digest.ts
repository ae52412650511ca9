import { createHash } from 'node:crypto';
import canonicalizeModule from 'canonicalize';

// The package is CommonJS with a default export; under nodenext its type is the module, its value the function.
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

/** Canonical JSON (RFC 8785): the bytes that digests, the hash chain and signatures cover. */
export const canonicalJson = (value: unknown): string => canonicalize(value) ?? 'null';

/** SHA-256 as 64 hex digits. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Digest of a JSON value over its canonical bytes. */
export const digestOf = (value: unknown): string => sha256(canonicalJson(value));
