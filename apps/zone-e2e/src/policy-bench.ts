import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Envelope, ExecReply, StoredEvent } from '@adaos/contracts';
import { startSpine, succeeded } from './spine.js';

export const HEAD = '(principal is Adaos::Grant, action == Adaos::Action::"call", resource is Adaos::Tool)';
export const NO_RESTART = `@id("zone.quiet_hours") @code("forbidden") @rank("100")
@explain("No service of the lab is restarted this week.") @needs("the end of the freeze")
forbid ${HEAD}
when { resource.tool_id == "hub.restart_service" && context has target && context.target.environment == "test" };`;

/** A spine with one reporting test hub, a control and a read-only lease on it, and an admin who sets policies. */
export async function startPolicyBench(router: Parameters<typeof startSpine>[0] = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'zone-policies-'));
  const spine = await startSpine(router, undefined, { zone_policy_dir: dir });
  await spine.startRecord();
  await spine.operator('operations.register_target', {
    hub_id: 'h1',
    environment: 'test',
    subnet_id: 's1',
    policy: {
      write_scope: 'test-only',
      allowed_services: ['web'],
      allowed_capabilities: ['hub.get_status', 'hub.restart_service'],
    },
  });
  await spine.operator('operations.set_skill_state', { target_id: 'hub:h1', state: 'enabled' });
  let answer: () => ExecReply = () => succeeded();
  const hub = await spine.hub('h1', async () => answer());
  await hub.report();

  const lease = async (capability_profile: string) => {
    const { result } = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile,
    });
    return (result as { bearer: string }).bearer;
  };
  const [bearer, reader] = [await lease('InfraOpsControl'), await lease('InfraOpsRead')];
  const ask = async <T = Record<string, any>>(
    tool: string,
    args: Record<string, unknown> = {},
  ): Promise<T> => {
    const envelope = await spine.operator(tool, args);
    if (!envelope.ok) throw new Error(JSON.stringify(envelope.error));
    return envelope.result as T;
  };
  return {
    spine,
    dir,
    bearer,
    reader,
    ask,
    put: (text: string, more: Record<string, unknown> = {}) => ask('zone.put_policies', { text, ...more }),
    restart: () => spine.call(bearer, 'hub.restart_service', { service: 'web' }),
    status: (as = bearer) => spine.call(as, 'hub.get_status'),
    eventOf: async (envelope: Envelope): Promise<StoredEvent> =>
      (
        await ask<{ events: StoredEvent[] }>('operations.list_recent_events', {
          event_id: envelope.audit_event_id,
        })
      ).events[0]!,
    /** What the hub answers from now on. */
    hubAnswers(next: () => ExecReply) {
      answer = next;
    },
    /** Moves time on; the hub keeps its heartbeat. */
    async pass(ms: number) {
      spine.clock.advance(ms);
      await hub.report();
    },
    async stop() {
      await spine.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
export type PolicyBench = Awaited<ReturnType<typeof startPolicyBench>>;
