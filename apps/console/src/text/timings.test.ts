import { expect, test } from '@jest/globals';
import { timingParts } from './timings.js';

test('laps in the order they run, the rest as other', () => {
  expect(
    timingParts({ dispatch_ms: 40, total_ms: 52, session_ms: 2, adapter_ms: 31, policy_ms: 3, open_ms: 5 }),
  ).toEqual({
    total_ms: 52,
    adapter_ms: 31,
    parts: [
      { name: 'session', ms: 2 },
      { name: 'policy', ms: 3 },
      { name: 'record', ms: 5 },
      { name: 'target', ms: 40 },
      { name: 'other', ms: 2 },
    ],
  });
});

test('a refusal has only what it reached', () => {
  expect(timingParts({ session_ms: 1, total_ms: 1 })).toEqual({
    total_ms: 1,
    adapter_ms: null,
    parts: [{ name: 'session', ms: 1 }],
  });
});

test('an open event has no total yet', () => {
  expect(timingParts({ session_ms: 1 })).toBeNull();
});
