import { describe, expect, test } from '@jest/globals';
import { randomIds } from './ids.js';

describe('ids', () => {
  test('10,000 ids, traces and bearers are all different and of their form', () => {
    const ids = Array.from({ length: 10_000 }, () => randomIds.next('evt'));
    const traces = Array.from({ length: 10_000 }, () => randomIds.trace());
    const bearers = Array.from({ length: 1_000 }, () => randomIds.bearer('mcp'));
    for (const all of [ids, traces, bearers]) expect(new Set(all).size).toBe(all.length);
    expect(ids.every((id) => /^evt_[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true);
    expect(traces.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
    expect(bearers.every((id) => /^mcp_[A-Za-z0-9_-]{43}$/.test(id))).toBe(true);
  });

  test('an id made later sorts later', () => {
    const early = randomIds.next('evt').slice(0, 14);
    expect(early >= `evt_${'0'.repeat(10)}`).toBe(true);
    const sample = [randomIds.next('evt'), randomIds.next('evt')].map((id) => id.slice(0, 14));
    expect([...sample].sort()).toEqual(sample);
  });
});
