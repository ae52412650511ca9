import { randomBytes } from 'node:crypto';

export type IdPrefix = 'evt' | 'lse' | 'opr' | 'dec' | 'prm' | 'req' | 'hub' | 'tok';

export interface Ids {
  /** A sortable id: `evt_` + 48 bits of time + 80 random bits, in Crockford base32. Not a secret. */
  next(prefix: IdPrefix): string;
  /** 32 hex digits, W3C trace id. */
  trace(): string;
  /** A bearer: prefix + 256 random bits, unrelated to any id (D4). */
  bearer(prefix: 'mcp' | 'adm'): string;
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Encodes an integer below 2^53 in base32, left-padded to `width`. */
function base32(value: number, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text;
  return text;
}

export const randomIds: Ids = {
  next(prefix) {
    const noise = Array.from(randomBytes(16), (byte) => ALPHABET[byte % 32]).join('');
    return `${prefix}_${base32(Date.now(), 10)}${noise}`;
  },
  trace: () => randomBytes(16).toString('hex'),
  bearer: (prefix) => `${prefix}_${randomBytes(32).toString('base64url')}`,
};
