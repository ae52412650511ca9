import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limits, Rate, Slot, Taken } from './port.js';

/** Limits of one process. Made once; a limiter per rate is kept, never made per call. */
export function createMemoryLimits(options: { share?: number; degraded?: boolean } = {}): Limits {
  const { share = 1, degraded = false } = options;
  const cap = (value: number) => Math.max(1, Math.floor(value * share));
  const limiters = new Map<string, RateLimiterMemory>();
  const slots = new Map<string, number>();

  const limiterOf = ({ points, duration_s }: Rate) => {
    const name = `${points}/${duration_s}`;
    let limiter = limiters.get(name);
    if (!limiter)
      limiters.set(
        name,
        (limiter = new RateLimiterMemory({ keyPrefix: name, points: cap(points), duration: duration_s })),
      );
    return limiter;
  };

  return {
    async take(key, rate): Promise<Taken> {
      try {
        const { remainingPoints } = await limiterOf(rate).consume(key);
        return { allowed: true, remaining: remainingPoints, retry_after_ms: 0, degraded };
      } catch (refusal) {
        const retry_after_ms =
          refusal instanceof RateLimiterRes ? refusal.msBeforeNext : rate.duration_s * 1000;
        return { allowed: false, remaining: 0, retry_after_ms, degraded };
      }
    },
    // The holder lives in this process: if it dies the slots die with it, so the ttl has nothing to do here.
    async acquire(key, max): Promise<Slot> {
      const in_use = slots.get(key) ?? 0;
      if (in_use >= cap(max)) return { allowed: false, in_use, degraded, release: async () => undefined };
      slots.set(key, in_use + 1);
      let held = true;
      const release = async () => {
        if (!held) return;
        held = false;
        const left = (slots.get(key) ?? 1) - 1;
        if (left > 0) slots.set(key, left);
        else slots.delete(key);
      };
      return { allowed: true, in_use: in_use + 1, degraded, release };
    },
    async close() {
      limiters.clear();
      slots.clear();
    },
  };
}
