import type { Bus } from '@adaos/bus';
import { OpError, sha256, subjectOf, type Admitted } from '@adaos/contracts';
import type { Limits } from '@adaos/limits';
import type { Clock } from '@adaos/runtime';
import { LRUCache } from 'lru-cache';

/** Milliseconds an admission is relied on before session is asked again, at the price of one lookup of its table a minute. */
const RELY_MS = 60_000;
/** Milliseconds a refused token is refused unasked. Short: its issuer's keys or clock may just have been late. */
const REFUSED_MS = 5_000;
const MAX_KEPT = 20_000;
/** Time for session to ask an issuer twice, metadata and keys. */
const TIMEOUT_MS = 8_000;
/** Tokens shown to session for the first time, by address and by this replica: a flood of garbage ends here. */
const PER_ADDRESS = { points: 120, duration_s: 60 } as const;
const PER_REPLICA = { points: 50, duration_s: 1 } as const;
const AT_ONCE = 64;

/** Null: session knows that digest, whatever it will say of it. Else why nothing can be done with the token. */
export type Verdict = OpError | null;

export interface Admissions {
  /** Must this bearer be shown to session first? No for one that was admitted a moment ago: the hot path costs a lookup. */
  isKnown(bearer: string): boolean;
  admit(bearer: string, address: string): Promise<Verdict>;
}

/** Shows bearers that are none of ours to session, once each. Keeps digests alone. */
export function admissions({ bus, clock, limits }: { bus: Bus; clock: Clock; limits: Limits }): Admissions {
  const known = new LRUCache<string, number>({ max: MAX_KEPT });
  const refused = new LRUCache<string, { error: OpError; until: number }>({ max: MAX_KEPT });
  const asking = new Map<string, Promise<Verdict>>();

  async function ask(bearer: string, digest: string, address: string): Promise<Verdict> {
    const over = await overLimit(address);
    if (over) return over;
    const slot = await limits.acquire('admit', AT_ONCE, TIMEOUT_MS);
    if (!slot.allowed) return new OpError('rate_limited', { retry_after_ms: 1_000 });
    try {
      const { expires_at } = await bus.request<Admitted>(
        subjectOf('session_admit'),
        { bearer },
        { timeout_ms: TIMEOUT_MS },
      );
      known.set(digest, Math.min(Date.parse(expires_at), clock.now() + RELY_MS));
      return null;
    } catch (error) {
      if (!(error instanceof OpError)) throw error;
      // The digest resolves to the same refusal, and leaves its record on the way.
      if (error.code === 'lease_revoked') return null;
      if (error.code === 'unauthenticated') refused.set(digest, { error, until: clock.now() + REFUSED_MS });
      return error;
    } finally {
      await slot.release();
    }
  }

  async function overLimit(address: string): Promise<OpError | null> {
    for (const [key, rate] of [
      [`admit:${address}`, PER_ADDRESS],
      ['admit', PER_REPLICA],
    ] as const) {
      const { allowed, retry_after_ms } = await limits.take(key, rate);
      if (!allowed) return new OpError('rate_limited', { retry_after_ms });
    }
    return null;
  }

  return {
    isKnown: (bearer) => (known.get(sha256(bearer)) ?? 0) > clock.now(),
    async admit(bearer, address) {
      const digest = sha256(bearer);
      const before = refused.get(digest);
      if (before && before.until > clock.now()) return before.error;
      // Of requests that bring the same new token at once, one asks.
      const pending = asking.get(digest) ?? ask(bearer, digest, address).finally(() => asking.delete(digest));
      asking.set(digest, pending);
      return pending;
    },
  };
}
