import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Limits } from './port.js';

export interface LimitsBench {
  /** A replica's limits; all that one bench opens count together. */
  open(): Promise<Limits>;
  /** Removes what the bench left behind. */
  close(): Promise<void>;
}

/** Polls until `condition` holds; fails after five seconds. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  for (const give_up_at = performance.now() + 5_000; !(await condition()); await new Promise(setImmediate)) {
    if (performance.now() > give_up_at) throw new Error('the condition did not come true within 5 s');
  }
}

/** Every promise of the port, for each implementation. */
export function limitsSuite(name: string, make: () => Promise<LimitsBench>): void {
  describe(`limits: ${name}`, () => {
    let bench: LimitsBench;
    let [one, two]: Limits[] = [];
    let key = '';
    const limits = () => [one, two] as [Limits, Limits];

    beforeEach(async () => {
      bench = await make();
      one = await bench.open();
      two = await bench.open();
      key = `k-${randomBytes(6).toString('hex')}`;
    });
    afterEach(async () => {
      await Promise.all(limits().map((each) => each.close()));
      await bench.close();
    });

    test('200 takes at once over two replicas: as many pass as there are points', async () => {
      const rate = { points: 50, duration_s: 60 };
      const taken = await Promise.all(
        Array.from({ length: 200 }, (_, i) => limits()[i % 2 ? 1 : 0].take(key, rate)),
      );
      const passed = taken.filter(({ allowed }) => allowed);
      const refused = taken.filter(({ allowed }) => !allowed);
      expect(passed.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
        Array.from({ length: 50 }, (_, i) => 49 - i),
      );
      expect(passed.every(({ retry_after_ms, degraded }) => retry_after_ms === 0 && !degraded)).toBe(true);
      expect(refused).toHaveLength(150);
      for (const { remaining, retry_after_ms, degraded } of refused) {
        expect({ remaining, degraded }).toEqual({ remaining: 0, degraded: false });
        expect(retry_after_ms).toBeGreaterThan(50_000);
        expect(retry_after_ms).toBeLessThanOrEqual(60_000);
      }
    });

    test('keys and rates are counted apart, and a rate of none allows none', async () => {
      const [limit] = limits();
      const once = { points: 1, duration_s: 60 };
      const allowed = async (...args: Parameters<Limits['take']>) => (await limit.take(...args)).allowed;
      expect(await allowed(key, once)).toBe(true);
      expect(await allowed(key, once)).toBe(false);
      expect(await allowed(`${key}-other`, once)).toBe(true);
      expect(await allowed(key, { points: 2, duration_s: 60 })).toBe(true);
      expect(await allowed(`${key}-none`, { points: 0, duration_s: 60 })).toBe(false);
    });

    test('the window ends, also a window of less than a second', async () => {
      const [limit] = limits();
      for (const rate of [
        { points: 1, duration_s: 1 },
        { points: 2, duration_s: 0.2 },
      ]) {
        for (let i = 0; i < rate.points; i++) expect((await limit.take(key, rate)).allowed).toBe(true);
        const refused = await limit.take(key, rate);
        expect(refused.allowed).toBe(false);
        expect(refused.retry_after_ms).toBeLessThanOrEqual(1_000);
        await until(async () => (await limit.take(key, rate)).allowed);
      }
    });

    test('as many holders as slots, however many come at once; each release frees one', async () => {
      const slots = await Promise.all(
        Array.from({ length: 20 }, (_, i) => limits()[i % 2 ? 1 : 0].acquire(key, 3, 60_000)),
      );
      const holders = slots.filter(({ allowed }) => allowed);
      expect(holders.map(({ in_use }) => in_use).sort()).toEqual([1, 2, 3]);
      const refused = slots.filter(({ allowed }) => !allowed);
      expect(refused.map(({ in_use }) => in_use)).toEqual(Array.from({ length: 17 }, () => 3));
      await Promise.all(refused.map(({ release }) => release()));
      expect((await limits()[0].acquire(key, 3, 60_000)).allowed).toBe(false);

      const [first] = holders;
      await Promise.all([first?.release(), first?.release()]);
      await first?.release();
      expect(await limits()[1].acquire(key, 3, 60_000)).toMatchObject({
        allowed: true,
        in_use: 3,
        degraded: false,
      });
      expect((await limits()[0].acquire(key, 3, 60_000)).allowed).toBe(false);
      expect((await limits()[0].acquire(`${key}-none`, 0, 60_000)).allowed).toBe(false);
    });

    test('a holder that takes longer than its ttl keeps the slot until it releases', async () => {
      const [holder, rival] = limits();
      const ttl_ms = 150;
      const slot = await holder.acquire(key, 1, ttl_ms);
      const begun = performance.now();
      while (performance.now() - begun < 4 * ttl_ms) {
        expect((await rival.acquire(key, 1, ttl_ms)).allowed).toBe(false);
        await new Promise(setImmediate);
      }
      await slot.release();
      expect(await rival.acquire(key, 1, ttl_ms)).toMatchObject({ allowed: true, in_use: 1 });
    });
  });
}
