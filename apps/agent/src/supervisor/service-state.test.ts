import { expect, test } from '@jest/globals';
import { backoffMs, stableMs, startFaultOf } from './service-state.js';

test('the pause before a restart doubles up to half a minute', () => {
  expect([1, 2, 3, 6, 7, 100].map((n) => backoffMs(500, n))).toEqual([
    500, 1_000, 2_000, 16_000, 30_000, 30_000,
  ]);
});

test('a run counts as stable after ten seconds, or twice its observation', () => {
  expect([stableMs(0), stableMs(15_000)]).toEqual([10_000, 30_000]);
});

test.each([
  ['ENOENT', 'not_found'],
  ['ENOTDIR', 'not_found'],
  ['EACCES', 'not_permitted'],
  ['EMFILE', 'not_startable'],
])('%s is %s', (code, fault) => {
  expect(startFaultOf(Object.assign(new Error('x'), { code }))).toBe(fault);
});
