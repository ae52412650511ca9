import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allScenarios } from './all-scenarios.js';
import { callTool, lease, rest } from './api.js';
import { playProbe } from './probe-hub.js';
import { splitIdentity } from './split-identity.suite.js';
import { launchSplit, type SplitZone } from './split-zone.js';
import { until } from './zone-under-test.js';

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
      for (let round = 0; round < 3; round++) {
        const { bearer, session } = await lease(zone, 'InfraOpsRead');
        const call = () => callTool(zone, bearer, 'operations.get_managed_target');
        await Promise.all(Array.from({ length: 20 }, call));
        await rest(zone)('POST', `/sessions/${session.session_id}/revoke`, { reason: 'lost event' });
        const revoked_at = performance.now();
        const since = () => performance.now() - revoked_at;
        while (since() < 2_500) {
          const sent_ms = since();
          for (const { ok, error } of await Promise.all([call(), call(), call()])) {
            if (!ok) expect(error?.code).toBe('lease_revoked');
            else {
              served_after++;
              latest_ms = sent_ms;
            }
          }
          // Slow enough to be heard: refusals of one source are bounded.
          await pause(50);
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

  test('the caller of a router that was killed is told within seconds, long before the tool’s time', async () => {
    const probe = await playProbe(zone);
    try {
      const { bearer } = await lease(zone, 'InfraOpsControl', { target_id: `hub:${probe.hub_id}` });
      const asked_at = performance.now();
      const pending = rest(zone, bearer)('POST', '/call', {
        tool_id: 'hub.restart_service',
        arguments: { service: 'web' },
      });
      const running = await probe.next();
      for (const router of ['router-1', 'router-2']) process.kill(zone.processes()[router]!, 'SIGKILL');
      const { status, body } = await pending;
      running.end();
      expect([status, body.error?.code]).toEqual([503, 'dependency_unavailable']);
      // Its tool may take half a minute, and ten seconds more are allowed for root itself.
      expect(performance.now() - asked_at).toBeLessThan(20_000);
      await until('a router to be back', async () =>
        (await rest(zone)('GET', '/targets')).status === 200 ? true : undefined,
      );
    } finally {
      await probe.stop();
    }
  }, 60_000);

  test('the whole zone drains and exits 0', async () => {
    expect(await zone.stop()).toBe(0);
  }, 60_000);

  afterAll(() => zone?.stop(), 60_000);
});

splitIdentity();
