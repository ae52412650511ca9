import { describe, expect, test } from '@jest/globals';
import { connectClient, events, lease } from '../api.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';
import { transcriptOf, type Step } from '../transcript.js';

/** The way of docs/guides/first-call.md, walked by the official client with a URL and a bearer. */
export const firstCall = (zone: () => ZoneUnderTest) =>
  describe('first call', () => {
    test.each([false, true])(
      'lease → list → status → logs → restart (dry run, real) → events; modern era: %s',
      async (modern) => {
        const { bearer, session } = await lease(zone(), 'InfraOpsControl', { note: 'first call' });
        const client = await connectClient(zone(), bearer, { modern });
        const steps: Step[] = [];
        const call = async (name: string, args: Record<string, unknown> = {}) => {
          const result = (await client.callTool({ name, arguments: args })) as {
            structuredContent?: Record<string, unknown>;
            isError?: boolean;
          };
          steps.push({ name, args, result: result.structuredContent ?? {} });
          expect([name, result.isError ?? false]).toEqual([name, false]);
          return result.structuredContent as Record<string, unknown>;
        };

        const { tools } = await client.listTools();
        expect(tools.map((t) => t.name)).toEqual([
          'hub_get_status',
          'hub_get_runtime_summary',
          'hub_get_logs',
          'hub_run_healthchecks',
          'hub_get_operational_surface',
          'hub_get_activity_log',
          'hub_restart_service',
          'operations_list_managed_targets',
          'operations_get_managed_target',
          'operations_list_recent_events',
        ]);
        steps.push({ name: 'tools/list', args: {}, result: { tools: tools.map((t) => t.name) } });

        const before = await call('hub_get_status');
        const web = (status: Record<string, unknown>) =>
          (status['services'] as { name: string; pid: number; state: string }[]).find(
            (s) => s.name === 'web',
          )!;
        expect(before).toMatchObject({ hub_id: 'demo', health: 'healthy' });
        expect(web(before).state).toBe('running');

        const logs = await call('hub_get_logs', { source: 'web', tail: 20 });
        const text = (logs['lines'] as string[]).join('\n');
        expect(text).toContain('4b825dc642cb6eb9a060e54bf8d69288fbee4904');
        expect(text).not.toMatch(/demo-FAKE-token|hunter2/);
        expect(text).toContain('[redacted:');

        const planned = await call('hub_restart_service', { service: 'web', dry_run: true });
        expect(planned).toMatchObject({ service: 'web', dry_run: true, after: null });
        expect(web(await call('hub_get_status')).pid).toBe(web(before).pid);

        const done = await call('hub_restart_service', { service: 'web' });
        expect(done).toMatchObject({
          service: 'web',
          dry_run: false,
          healthy: true,
          before: { pid: web(before).pid, state: 'running' },
          after: { state: 'running' },
        });
        const pid = (done['after'] as { pid: number }).pid;
        expect(pid).not.toBe(web(before).pid);
        expect(web(await call('hub_get_status')).pid).toBe(pid);

        const seen = await until('the events of the lease', async () => {
          const all = (await events(zone(), `lease_id=${session.session_id}&event_type=tool.call`)).reverse();
          return all.length >= 6 ? all : undefined;
        });
        expect(seen.map((e) => [e.tool_id, e.dry_run, e.status, e.policy_decision])).toEqual([
          ['hub.get_status', false, 'succeeded', 'allow'],
          ['hub.get_logs', false, 'succeeded', 'allow'],
          ['hub.restart_service', true, 'succeeded', 'allow'],
          ['hub.get_status', false, 'succeeded', 'allow'],
          ['hub.restart_service', false, 'succeeded', 'allow'],
          ['hub.get_status', false, 'succeeded', 'allow'],
        ]);
        for (const event of seen) {
          expect(event).toMatchObject({
            lease_id: session.session_id,
            target_id: 'hub:demo',
            determining_rules: ['grant.holds_capability'],
            source: 'subnet_active',
          });
          expect(event.permit_id).toMatch(/^prm_/);
        }
        await client.close();
        steps.push({ name: 'events', args: {}, result: { events: seen } });
        if (!modern) transcriptOf(steps);
      },
    );

    test('a lease sees its own events and counts its uses', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsRead');
      const client = await connectClient(zone(), bearer);
      await Promise.all(
        Array.from({ length: 20 }, () => client.callTool({ name: 'hub_get_status', arguments: {} })),
      );
      const counted = await until('20 uses', async () => {
        const { rest } = await import('../api.js');
        const { body } = await rest(zone())<{ sessions: { use_count: number; last_tool_id: string }[] }>(
          'GET',
          `/sessions/${session.session_id}`,
        );
        const one =
          (body as unknown as { session?: { use_count: number; last_tool_id: string } }).session ??
          body.sessions[0]!;
        return one.use_count >= 20 ? one : undefined;
      });
      expect(counted).toMatchObject({ use_count: 20, last_tool_id: 'hub.get_status' });
      const own = (await client.callTool({
        name: 'operations_list_recent_events',
        arguments: { limit: 5 },
      })) as { structuredContent: { events: { target_id: string }[] } };
      expect(new Set(own.structuredContent.events.map((e) => e.target_id))).toEqual(new Set(['hub:demo']));
      await client.close();
    });
  });
