import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allScenarios } from './all-scenarios.js';
import { launchSplit } from './split-zone.js';
import type { ZoneUnderTest } from './zone-under-test.js';

describe('split zone', () => {
  let zone: ZoneUnderTest;
  beforeAll(async () => {
    zone = await launchSplit();
  }, 120_000);

  allScenarios(() => zone);

  test('every service runs twice, each as a process of its own', () => {
    const names = Object.keys(zone.processes()).sort();
    expect(names).toEqual([
      'agent',
      'audit-1',
      'audit-2',
      'descriptor-1',
      'descriptor-2',
      'facade-1',
      'facade-2',
      'policy-1',
      'policy-2',
      'router-1',
      'router-2',
      'session-1',
      'session-2',
    ]);
    expect(new Set(Object.values(zone.processes())).size).toBe(names.length);
  });

  test('the whole zone drains and exits 0', async () => {
    expect(await zone.stop()).toBe(0);
  }, 60_000);

  afterAll(() => zone?.stop(), 60_000);
});
