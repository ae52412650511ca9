import { expect, test } from '@jest/globals';
import { every } from './every.js';
import { Failure } from './failure.js';

test('a refusal is not asked for again, an absence is', () => {
  const ask = (error: Error | null) => every(2_000)({ state: { error } });
  expect(ask(null)).toBe(2_000);
  expect(ask(new Failure('unreachable', 'The zone does not answer.'))).toBe(2_000);
  expect(ask(new Failure('invalid_argument', 'No.'))).toBe(false);
  expect(ask(new Failure('forbidden', 'No.'))).toBe(false);
});
