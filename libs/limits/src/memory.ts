import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limits, Rate, Slot, Taken } from './port.js';
import { shareOf, slotLedger } from './slots.js';

/**
 * Limits of one process. A limiter per rate is made once and kept. `share` (0 … 1] scales every limit, for a replica that has to count
 * alone; `degraded` is what the answers then say. `ledger` lets slots that were counted elsewhere count here too.
 */
export function createMemoryLimits(
  options: { share?: number; degraded?: boolean; ledger?: ReturnType<typeof slotLedger> } = {},
): Limits {
  const { share = 1, degraded = false, ledger = slotLedger() } = options;
  const limiters = new Map<string, RateLimiterMemory>();

  const limiterOf = (rate: Rate) => {
    const name = rateName(rate);
    let limiter = limiters.get(name);
    if (!limiter) {
      const points = shareOf(rate.points, share);
      limiter = new RateLimiterMemory({ keyPrefix: name, points, duration: wholeSeconds(rate) });
      limiters.set(name, limiter);
    }
    return limiter;
  };

  return {
    async take(key, rate): Promise<Taken> {
      return takenOf(limiterOf(rate).consume(key), degraded);
    },

    // The holder lives in this process: the slot dies with it, so the ttl has nothing to do here.
    async acquire(key, max): Promise<Slot> {
      const in_use = ledger.inUse(key);
      if (in_use >= shareOf(max, share)) return { allowed: false, in_use, degraded, release: async () => {} };
      const forget = ledger.hold(key);
      return { allowed: true, in_use: in_use + 1, degraded, release: async () => forget() };
    },

    async close() {
      limiters.clear();
    },
  };
}

/** Windows are whole seconds: the shared counter of a shorter one would never expire. */
export const wholeSeconds = ({ duration_s }: Rate): number => Math.max(1, Math.ceil(duration_s));
export const rateName = (rate: Rate): string => `${rate.points}/${wholeSeconds(rate)}`;

/** A limiter's answer, or its refusal, which it throws. Anything else it throws passes through. */
export async function takenOf(consumed: Promise<RateLimiterRes>, degraded: boolean): Promise<Taken> {
  try {
    return { allowed: true, remaining: (await consumed).remainingPoints, retry_after_ms: 0, degraded };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { allowed: false, remaining: 0, retry_after_ms: Math.max(1, refusal.msBeforeNext), degraded };
  }
}
