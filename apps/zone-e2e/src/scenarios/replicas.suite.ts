import { describe, expect, test } from '@jest/globals';
import type { SessionLease } from '@adaos/contracts';
import { callTool, lease, rest } from '../api.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';

/** Calls at once that reach, but for one case in a hundred thousand, every router behind every facade. */
const SPREAD = 30;

/** What several facades and routers have to be as one. Every request goes to another facade, the broker picks the router. */
export const replicas = (zone: () => ZoneUnderTest) =>
  describe('replicas', () => {
    const spread = async (bearer: string) => {
      const calls = await Promise.all(
        Array.from({ length: SPREAD }, () => callTool(zone(), bearer, 'operations.get_managed_target')),
      );
      return new Set(calls.map(({ ok, error }) => (ok ? 'ok' : error?.code)));
    };

    test('once the answer to a revoke is there, no replica serves the lease', async () => {
      // Few rounds: whoever is refused too often in a minute is not heard any more.
      for (let round = 0; round < 5; round++) {
        const { bearer, session } = await lease(zone(), 'InfraOpsRead');
        expect(await spread(bearer)).toEqual(new Set(['ok']));
        await rest(zone())('POST', `/sessions/${session.session_id}/revoke`, { reason: 'replicas' });
        expect(await spread(bearer)).toEqual(new Set(['lease_revoked']));
      }
    });

    test('1,000 parallel uses of one lease count 1,000', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsRead');
      const calls: boolean[] = [];
      for (let round = 0; round < 20; round++) {
        const some = await Promise.all(
          Array.from({ length: 50 }, () => callTool(zone(), bearer, 'operations.get_managed_target')),
        );
        calls.push(...some.map(({ ok }) => ok));
      }
      expect(calls.filter(Boolean)).toHaveLength(1_000);
      // What was answered is in the stream; the table may be a moment behind.
      const counted = async () => {
        const { body } = await rest(zone())<{ session: SessionLease }>(
          'GET',
          `/sessions/${session.session_id}`,
        );
        return body.session.use_count;
      };
      await until('1,000 uses', async () => ((await counted()) >= 1_000 ? true : undefined), 30_000, 250);
      expect(await counted()).toBe(1_000);
    }, 120_000);

    test('what one facade issued another takes, in one conversation', async () => {
      const { bearer } = await lease(zone(), 'InfraOpsRead');
      const root_urls = zone().connection().root_urls ?? [zone().connection().root_url];
      const asked = await Promise.all(
        root_urls.map(async (root_url, i) => {
          const answer = await fetch(`${root_url}/v1/root/mcp`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${bearer}`,
              'content-type': 'application/json',
              accept: 'application/json',
              'mcp-protocol-version': '2025-11-25',
            },
            body: JSON.stringify({ jsonrpc: '2.0', id: i, method: 'tools/list' }),
          });
          return { session: answer.headers.get('mcp-session-id'), text: await answer.text() };
        }),
      );
      // No facade gives out anything that another would have to know.
      expect(asked.map(({ session }) => session)).toEqual(root_urls.map(() => null));
      const lists = asked.map(({ text }) => JSON.stringify((JSON.parse(text) as { result: unknown }).result));
      expect(new Set(lists).size).toBe(1);
    });
  });
