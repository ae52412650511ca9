import { expect, test } from '@jest/globals';
import { createCommittedIds } from './committed-ids.js';

test('an id is known for two minutes, also across the change of generations', () => {
  const ids = createCommittedIds();
  ids.add('a', 0);
  ids.add('b', 119_999);
  ids.add('c', 120_000);
  expect(['a', 'b', 'c'].map((id) => ids.has(id, 120_000))).toEqual([false, true, true]);
  expect(['b', 'c', 'never'].map((id) => ids.has(id, 239_998))).toEqual([true, true, false]);
  expect(['b', 'c'].map((id) => ids.has(id, 239_999))).toEqual([false, true]);
});

test('the last 100,000 ids are known, and at most twice as many are kept', () => {
  const ids = createCommittedIds();
  for (let n = 0; n < 250_000; n += 1) ids.add(`m${n}`, 0);
  const known = Array.from({ length: 250_000 }, (_, n) => ids.has(`m${n}`, 1));
  expect(known.slice(150_000).every(Boolean)).toBe(true);
  expect(known.filter(Boolean)).toHaveLength(150_000);
});
