import { expect, test } from '@jest/globals';
import { limitsSuite } from './limits.suite.js';
import { createMemoryLimits } from './memory.js';

limitsSuite('memory', async () => {
  const limits = createMemoryLimits();
  return { open: async () => limits, close: async () => {} };
});

test('a share scales every limit, to one at least, and says that it is degraded', async () => {
  const limits = createMemoryLimits({ share: 0.5, degraded: true });
  const takes = async (points: number) => {
    const taken = await Promise.all(
      Array.from({ length: 12 }, () => limits.take(`${points}`, { points, duration_s: 60 })),
    );
    expect(taken.every(({ degraded }) => degraded)).toBe(true);
    return taken.filter(({ allowed }) => allowed).length;
  };
  expect(await Promise.all([0, 1, 2, 5, 10].map(takes))).toEqual([0, 1, 1, 2, 5]);
  const slots = await Promise.all(Array.from({ length: 4 }, () => limits.acquire('k', 5, 1_000)));
  expect(slots.map(({ allowed, degraded }) => [allowed, degraded])).toEqual([
    [true, true],
    [true, true],
    [false, true],
    [false, true],
  ]);
});
