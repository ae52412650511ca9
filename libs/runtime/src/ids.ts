import { randomBytes, randomFillSync } from 'node:crypto';

export type IdPrefix =
  'evt' | 'lse' | 'opr' | 'dec' | 'prm' | 'req' | 'hub' | 'tok' | 'key' | 'apr' | 'run' | 'adn' | 'pol';

/** Lease, operator token, access token, API key, session of the console: redaction knows each, and none is the head of an id. */
export const BEARER_PREFIXES = ['mcp', 'adm', 'atk', 'apk', 'con'] as const;
export type BearerPrefix = (typeof BEARER_PREFIXES)[number];

export interface Ids {
  /** A sortable id: `evt_` + 48 bits of time + 80 random bits, in Crockford base32. Not a secret. */
  next(prefix: IdPrefix): string;
  /** 32 hex digits, W3C trace id. */
  trace(): string;
  /** A bearer: prefix + 256 random bits, unrelated to any id (D4). */
  bearer(prefix: BearerPrefix): string;
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Encodes an integer below 2^53 in base32, left-padded to `width`. */
function base32(value: number, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text;
  return text;
}

// One call to the system's generator per 4 KiB: a call makes several ids, and each trip costs more than the id.
const pool = Buffer.alloc(4_096);
let used = pool.length;

/** The next `size` random bytes; each byte is given out once. */
function random(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += size;
  return pool.subarray(used - size, used);
}

export const randomIds: Ids = {
  next(prefix) {
    let noise = '';
    for (const byte of random(16)) noise += ALPHABET[byte % 32];
    return `${prefix}_${base32(Date.now(), 10)}${noise}`;
  },
  trace: () => random(16).toString('hex'),
  // A secret takes its bytes fresh: none of them ever lay in a shared buffer.
  bearer: (prefix) => `${prefix}_${randomBytes(32).toString('base64url')}`,
};
