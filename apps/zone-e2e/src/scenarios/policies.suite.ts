import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PolicyVersion, StoredEvent } from '@adaos/contracts';
import { callTool, connectClient, eventOf, lease, rest } from '../api.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';

const FREEZE = `@id("zone.freeze") @code("forbidden") @rank("100")
@explain("No restarts during the freeze.") @needs("the end of the freeze")
forbid (principal is Adaos::Grant, action == Adaos::Action::"call", resource is Adaos::Tool)
when { resource.tool_id == "hub.restart_service" };`;
/** Calls that would meet every replica of router and policy. */
const ROUND = 12;

/** Policies of the zone over HTTP, on whatever runs it. */
export const policies = (zone: () => ZoneUnderTest): void =>
  describe('policies', () => {
    let bearer = '';
    beforeAll(async () => ({ bearer } = await lease(zone(), 'InfraOpsControl')));
    afterAll(() => put(''));

    const put = async (text: string) => {
      const { status, body } = await rest(zone())<{ version: PolicyVersion }>('POST', '/policies', { text });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.version;
    };
    const dryRun = () =>
      callTool(zone(), bearer, 'hub.restart_service', { service: 'web' }, { dry_run: true });

    test('a new version is in force on every replica within two seconds, and so is the way back', async () => {
      const free = await put('');
      // A read, since those are what routers remember; and many may run at once.
      const look = () => callTool(zone(), bearer, 'hub.get_status');
      expect((await look()).ok).toBe(true);
      const began = Date.now();
      await put(FREEZE.replace('hub.restart_service', 'hub.get_status'));
      const everywhere = async (ok: boolean) => {
        const answers = await Promise.all(Array.from({ length: ROUND }, look));
        return answers.every((answer) => answer.ok === ok) || undefined;
      };
      await until('the freeze on every replica', () => everywhere(false));
      expect(Date.now() - began).toBeLessThan(2_000 + 1_500);
      const back = await rest(zone())('POST', '/policies/rollback', { version_id: free.version_id });
      expect(back.status).toBe(200);
      await until('the way back on every replica', () => everywhere(true));
    }, 60_000);

    test('the caller reads what would be needed, the operator which fact decided, the lease no more than it was told', async () => {
      await put(FREEZE);
      const refused = await until('the freeze', async () => {
        const answer = await dryRun();
        return answer.ok ? undefined : answer;
      });
      expect(refused.error?.message).toBe('No restarts during the freeze. Needs the end of the freeze.');
      const event = await eventOf(zone(), refused.audit_event_id!);
      expect(event.policy_explanation).toMatch(
        /^zone\.freeze \(pol_\w+:1\): tool\.tool_id is "hub\.restart_service"\.$/,
      );
      const own = await rest(zone(), bearer)<{ events: StoredEvent[] }>(
        'GET',
        `/audit?event_id=${event.event_id}`,
      );
      expect(own.body.events[0]).toMatchObject({
        policy_explanation: null,
        policy_facts: null,
        facts_digest: null,
      });
      const explained = await rest(zone())<any>('POST', '/policies/explain', {
        decision_id: event.decision_id,
      });
      expect(explained.body).toMatchObject({ recorded: { rules: ['zone.freeze'] }, differs: false });
    }, 60_000);

    test('over MCP the same sentence, as a result and no protocol error', async () => {
      const client = await connectClient(zone(), bearer);
      const result = await client.callTool({
        name: 'hub_restart_service',
        arguments: { service: 'web', dry_run: true },
      });
      await client.close();
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toContain(
        'No restarts during the freeze. Needs the end of the freeze.',
      );
      expect(JSON.stringify(result)).not.toContain('zone.freeze');
    });

    test('a text with a fault is refused by line and changes nothing', async () => {
      const { status, body } = await rest(zone())('POST', '/policies', { text: 'forbid (\n\n' });
      expect([status, body.error?.code]).toEqual([400, 'invalid_argument']);
      expect(body.error?.details?.['faults']).toEqual([expect.objectContaining({ file: 'text', line: 1 })]);
      const { body: shown } = await rest(zone())<any>('GET', '/policies?limit=1');
      expect(shown.files.at(-1).text).toBe(FREEZE);
    });

    test('versions, comparison and replay are read by any operator’s tool, changed by no lease', async () => {
      const diff = await rest(zone())<any>('POST', '/policies/diff', { from: 'none' });
      expect(diff.body.groups[0]).toMatchObject({ change: 'loses', tools: ['hub.restart_service'] });
      const since = new Date(Date.now() - 600_000).toISOString();
      const replay = await rest(zone())<any>('POST', '/policies/replay', { since, text: '' });
      expect(replay.body.groups).toContainEqual(
        expect.objectContaining({ change: 'gains', tool_id: 'hub.restart_service', rules: ['zone.freeze'] }),
      );
      for (const [method, path] of [
        ['GET', '/policies'],
        ['POST', '/policies/diff'],
      ] as const)
        expect((await rest(zone(), bearer)(method, path, method === 'POST' ? {} : undefined)).status).toBe(
          404,
        );
    }, 60_000);
  });
