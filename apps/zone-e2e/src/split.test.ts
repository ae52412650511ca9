import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allScenarios } from './all-scenarios.js';
import { callTool, lease, rest } from './api.js';
import { launchSplit, type SplitZone } from './split-zone.js';

describe('split zone', () => {
  let zone: SplitZone;
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

  test('a router that hears of no revocation serves a revoked lease for two seconds at most', async () => {
    const stopDeaf = await zone.startDeafRouter();
    try {
      let served_after = 0;
      let latest_ms = 0;
      for (let round = 0; round < 5; round++) {
        const { bearer, session } = await lease(zone, 'InfraOpsRead');
        const call = () => callTool(zone, bearer, 'operations.get_managed_target');
        await Promise.all(Array.from({ length: 20 }, call));
        await rest(zone)('POST', `/sessions/${session.session_id}/revoke`, { reason: 'lost event' });
        const revoked_at = performance.now();
        const since = () => performance.now() - revoked_at;
        while (since() < 2_500) {
          const sent_ms = since();
          const { ok, error } = await call();
          if (!ok) expect(error?.code).toBe('lease_revoked');
          else {
            served_after++;
            latest_ms = Math.max(latest_ms, sent_ms);
          }
        }
      }
      process.stderr.write(
        `lost event: ${served_after} calls served after the revoke, the last ${latest_ms.toFixed(0)} ms after it\n`,
      );
      // The router is deaf: without the epoch it would serve for ever.
      expect(served_after).toBeGreaterThan(0);
      expect(latest_ms).toBeLessThan(2_000);
    } finally {
      await stopDeaf();
    }
  }, 60_000);

  test('the whole zone drains and exits 0', async () => {
    expect(await zone.stop()).toBe(0);
  }, 60_000);

  afterAll(() => zone?.stop(), 60_000);
});
