import { describe, expect, test } from '@jest/globals';
import { localTime, parseDuration, relativeTime, sayDuration } from './time.js';

const NOW = Date.parse('2026-10-01T12:00:00.000Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

describe('relativeTime', () => {
  test.each([
    [0, 'just now'],
    [-4, 'just now'],
    [-5, '5 s ago'],
    [-59, '59 s ago'],
    [-60, '1 min ago'],
    [-119, '1 min ago'],
    [-3600, '1 h ago'],
    [-47 * 3600, '47 h ago'],
    [-48 * 3600, '2 d ago'],
    [-61 * 86_400, '2026-08-01'],
    [3, 'now'],
    [4 * 3600 - 1, 'in 4 h'],
    [30 * 86_400, 'in 30 d'],
  ])('%d s', (seconds, shown) => expect(relativeTime(at(seconds), NOW)).toBe(shown));

  test('what is no time stays', () => expect(relativeTime('soon', NOW)).toBe('soon'));
});

test('localTime is the clock of the operator', () => {
  expect(localTime('2026-10-01T22:30:05.000Z', 'Europe/Berlin')).toBe('2026-10-02 00:30:05');
  expect(localTime('2026-10-01T22:30:05.000Z', 'UTC', 'clock')).toBe('22:30:05');
  expect(localTime('never', 'UTC')).toBe('never');
});

describe('parseDuration', () => {
  test.each([
    ['4h', 14_400_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['90', 90_000],
    ['200ms', 200],
    ['', null],
    ['4 h', null],
    ['h', null],
    ['-1h', null],
    ['1.5h', null],
  ])('%j', (text, ms) => expect(parseDuration(text)).toBe(ms));
});

test('sayDuration', () =>
  expect([14_400, 90, 120, 86_400].map(sayDuration)).toEqual(['4 h', '90 s', '2 min', '1 d']));
