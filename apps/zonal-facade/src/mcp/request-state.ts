import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock } from '@adaos/runtime';

/** Milliseconds a sealed state is good for. The lease ends it sooner: each round is a call of its own, under a bearer judged anew. */
const TTL_MS = 600_000;
const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Characters of a sealed state that are looked at: more than any of ours has. */
const MAX_CHARS = 65_536;

/** What a state belongs to. One sealed for another bearer, method, name or other arguments does not open. */
export interface StateBinding {
  readonly bearer_digest: string;
  readonly method: string;
  readonly name: string;
  readonly arguments_digest: string;
}

export interface RequestStates {
  seal(binding: StateBinding, payload: unknown): string;
  /** The payload, or null: tampered with, run out, or sealed for something else; which of them is nobody's business. */
  open(binding: StateBinding, sealed: string): unknown;
}

/**
 * `requestState` goes through the client's hands and comes back as its word (MCP 2026-07-28, multi round-trip requests): AES-256-GCM
 * hides and protects it, and what it is bound to goes in as associated data, so it needs no place in it. The SDK's own codec only
 * signs; ours may carry what a user typed. The first key seals, all of them open: a key is replaced by putting a new one before it.
 */
export function requestStates(keys: readonly Buffer[], clock: Clock): RequestStates {
  const [current] = keys;
  if (!current) throw new TypeError('a request state needs a key');
  const aad = ({ bearer_digest, method, name, arguments_digest }: StateBinding) =>
    Buffer.from(JSON.stringify([VERSION, bearer_digest, method, name, arguments_digest]));

  function opened(key: Buffer, binding: StateBinding, bytes: Buffer): string | null {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(aad(binding));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([
        decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString();
    } catch {
      return null;
    }
  }

  return {
    seal(binding, payload) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(aad(binding));
      const text = JSON.stringify({ until: clock.now() + TTL_MS, payload });
      const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
      return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
    },
    open(binding, sealed) {
      const [version, body = '', ...rest] = sealed.length > MAX_CHARS ? [] : sealed.split('.');
      const bytes = Buffer.from(body, 'base64url');
      // Node skips what is no base64url: a state with letters added to it must not pass for the one without.
      if (version !== VERSION || rest.length > 0 || bytes.toString('base64url') !== body) return null;
      if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
      for (const key of keys) {
        const text = opened(key, binding, bytes);
        if (text === null) continue;
        const { until, payload } = JSON.parse(text) as { until: number; payload: unknown };
        return clock.now() < until ? payload : null;
      }
      return null;
    },
  };
}
