import { expect, test } from '@jest/globals';
import { LEASE_TTL } from '@adaos/contracts';
import { TTL_CHOICES } from './ttl.js';
import { clockTime, relativeTime, sayDuration, sayMs } from './time.js';

const NOW = Date.parse('2026-11-30T14:00:00.000Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();

test.each([
  [0, 'now'],
  [-1_999, 'now'],
  [-2_000, '2 s ago'],
  [-59_999, '59 s ago'],
  [-60_000, '1 min ago'],
  [-7_199_000, '119 min ago'],
  [-7_200_000, '2 h ago'],
  [-200_000_000, '2 d ago'],
  [30_000, 'in 30 s'],
  [14_399_000, 'in 4 h'],
  [30 * 86_400_000, 'in 30 d'],
])('%d ms from now is %s', (ms, text) => {
  expect(relativeTime(at(ms), NOW)).toBe(text);
});

test('clock time leaves today out and shows another day', () => {
  expect(clockTime(at(-60_000), NOW, 'UTC')).toBe('13:59:00');
  expect(clockTime(at(-86_400_000), NOW, 'UTC')).toBe('2026-11-29 14:00:00');
  // The same instant is another day elsewhere.
  expect(clockTime(at(-4 * 3_600_000), NOW, 'Pacific/Auckland')).toBe('2026-11-30 23:00:00');
});

test('a time that is none is shown as it came', () => {
  expect([relativeTime('<b>', NOW), clockTime('soon', NOW)]).toEqual(['<b>', 'soon']);
});

test.each([
  [60, '1 min'],
  [90, '90 s'],
  [14_400, '4 h'],
  [2_592_000, '30 d'],
])('%d s is said %s', (seconds, text) => {
  expect(sayDuration(seconds)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [0.42, '0.4 ms'],
  [12.4, '12 ms'],
  [3_149, '3.1 s'],
  [15_000, '15 s'],
])('%d ms is said %s', (ms, text) => {
  expect(sayMs(ms)).toBe(text);
});

test('every life on offer is one the zone accepts, and the default is among them', () => {
  expect(TTL_CHOICES.filter((s) => s < LEASE_TTL.min || s > LEASE_TTL.max)).toEqual([]);
  expect(TTL_CHOICES).toContain(LEASE_TTL.default);
});
