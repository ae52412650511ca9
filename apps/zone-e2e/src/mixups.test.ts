import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ExecRequest } from '@adaos/contracts';
import { router } from '@adaos/router/module';
import { createMemoryLimits } from '@adaos/limits/memory';
import { randomIds, silentLog, type Stop } from '@adaos/runtime';
import { until } from '@adaos/testing';
import { knock, mcpRequest, openDoor, type Door, type Era } from './door.js';
import { startSpine, succeeded, type Spine } from './spine.js';

const HUBS = 50;
const CALLS = 6_000;
/** Connections shared by all leases: each carries calls of many of them, one after the other. */
const SOCKETS = 24;
const AT_ONCE = 64;

interface Lease {
  readonly hub_id: string;
  readonly bearer: string;
  readonly session_id: string;
}

/** Two facades, two routers, fifty tenants behind one pool of connections: whose answer is whose. */
describe('mix-ups', () => {
  let spine: Spine;
  let door: Door;
  let second: Stop;
  const leases: Lease[] = [];
  const batch: (() => void)[] = [];
  const held = new Map<string, () => void>();
  const cancels: unknown[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });

  beforeAll(async () => {
    spine = await startSpine();
    await spine.startRecord();
    second = await router.start({
      zone: 'local',
      bus: spine.connect('router'),
      clock: spine.clock,
      ids: randomIds,
      log: silentLog,
      store: spine.store,
      limits: createMemoryLimits(),
      heartbeat_ms: 1_000,
    });
    door = await openDoor(spine, { facades: 2 });
    for (let n = 0; n < HUBS; n++) leases.push(await tenant(`mix-${String(n).padStart(2, '0')}`));
  }, 120_000);
  afterAll(async () => {
    agent.destroy();
    await door.stop();
    await second();
    await spine.stop();
  }, 30_000);

  async function tenant(hub_id: string): Promise<Lease> {
    await spine.operator('operations.register_target', {
      hub_id,
      environment: 'test',
      subnet_id: `net-${hub_id}`,
      policy: {
        write_scope: 'test-only',
        allowed_services: ['web'],
        allowed_capabilities: ['hub.get_logs'],
      },
    });
    await spine.operator('operations.set_skill_state', { target_id: `hub:${hub_id}`, state: 'enabled' });
    const hub = await spine.hub(hub_id, (request) => answered(hub_id, request));
    hub.serve('hub_cancel', async (body) => void cancels.push(body));
    await hub.report({ capabilities: ['hub.get_logs'] });
    const { result } = await spine.operator('hub.issue_mcp_session', {
      target_id: `hub:${hub_id}`,
      capability_profile: 'InfraOpsRead',
    });
    const { bearer, session } = result as { bearer: string; session: { session_id: string } };
    return { hub_id, bearer, session_id: session.session_id };
  }

  /** Answers come in another order than the questions: each batch is let go backwards. One that says so waits for its own sign. */
  async function answered(hub_id: string, { lease_id, actor, arguments: args }: ExecRequest) {
    const { contains: marker } = args as { contains: string };
    if (marker.startsWith('held')) await new Promise<void>((go) => held.set(marker, go));
    else
      await new Promise<void>((go) => {
        batch.push(go);
        if (batch.length >= 8) for (const release of batch.splice(0).reverse()) release();
        else setTimeout(go, 2);
      });
    return succeeded({ hub_id, lease_id, actor, marker });
  }

  test('each answer is its caller’s: target, actor, marker and id, over shared connections and both eras', async () => {
    const wrong: unknown[] = [];
    let n = 0;
    const worker = async () => {
      for (let call = n++; call < CALLS; call = n++) {
        const lease = leases[(call * 7) % HUBS]!;
        const marker = `m-${call}`;
        const era: Era = call % 3 === 0 ? 'modern' : 'legacy';
        // Every lease uses the same few ids at the same time.
        const id = call % 2 === 0 ? call % 4 : 'same';
        const { status, text } = await knock(door.urls[call % 2]!, {
          ...mcpRequest(era, 'tools/call', { name: 'hub_get_logs', arguments: { contains: marker } }, id),
          bearer: lease.bearer,
          agent,
        });
        const got = JSON.parse(text) as { id: unknown; result?: { structuredContent?: object } };
        const told = { status, id: got.id, ...got.result?.structuredContent };
        const due = {
          status: 200,
          id,
          hub_id: lease.hub_id,
          lease_id: lease.session_id,
          actor: `mcp_session_lease:${lease.session_id}`,
          marker,
        };
        if (JSON.stringify(told) !== JSON.stringify(due)) wrong.push({ told: text, due });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(wrong).toHaveLength(0);
    const recorded = await spine.store.sql<{ lease_id: string; target_id: string; n: number }[]>`
      select lease_id, target_id, count(distinct event_id)::int as n from event_records
      where tool_id = 'hub.get_logs' group by lease_id, target_id`;
    expect(recorded).toHaveLength(HUBS);
    for (const { lease_id, target_id, n: calls } of recorded) {
      expect(leases.find((one) => one.session_id === lease_id)!.hub_id).toBe(target_id.slice(4));
      expect(calls).toBe(CALLS / HUBS);
    }
  }, 240_000);

  test('cancels of every other lease with the same id, on both facades, change nothing', async () => {
    const [mine, ...others] = leases as [Lease, ...Lease[]];
    const call = (marker: string, id: number) =>
      knock(door.urls[0]!, {
        ...mcpRequest('legacy', 'tools/call', { name: 'hub_get_logs', arguments: { contains: marker } }, id),
        bearer: mine.bearer,
      });
    const cancel = ({ bearer }: Lease, requestId: number, facade: number) =>
      knock(door.urls[facade]!, {
        method: 'POST',
        path: '/v1/root/mcp',
        headers: { 'mcp-protocol-version': '2025-11-25' },
        body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
        bearer,
        agent,
      });
    const running = call('held-7', 7);
    const doomed = call('held-8', 8);
    await until('both to run', () => (held.size === 2 ? true : undefined));
    const told = await Promise.all(others.map((other, i) => cancel(other, 7, i % 2)));
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set([202]));
    // The lease's own cancel, sent last and to the other facade, works: what came before it has had its effect, if it has any.
    await cancel(mine, 8, 1);
    let ended: number | undefined;
    void doomed.then(({ status }) => (ended = status));
    // Replicas count, for a moment, how many calls a cancel could mean; that moment is the test's to let pass.
    await until('its own cancel to have ended it', () => {
      spine.clock.advance(50);
      return ended;
    });
    expect(ended).toBe(202);
    held.get('held-7')!();
    expect(JSON.parse((await running).text)).toMatchObject({
      id: 7,
      result: { structuredContent: { hub_id: mine.hub_id, marker: 'held-7' } },
    });
    await until('the hub to be told', () => cancels[0]);
    expect(cancels).toHaveLength(1);
    held.get('held-8')!();
  });
});
