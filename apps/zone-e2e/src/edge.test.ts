import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { StoredEvent } from '@adaos/contracts';
import { randomIds, silentLog, systemClock, type Stop } from '@adaos/runtime';
import { until } from '@adaos/testing';
import { zonalFacade } from '@adaos/zonal-facade/module';
import { startSpine, succeeded, type Spine } from './spine.js';

const RECORDED = 120;
const FLOOD = 20_000;

interface Answer {
  readonly status: number;
  readonly retry_after: string | undefined;
  readonly body: any;
}

/** Facade and root services in one process, so that a test can send faster than a zone of processes would take. */
describe('limits at the door', () => {
  let spine: Spine;
  let facade: Stop;
  let hub: Awaited<ReturnType<Spine['hub']>>;
  let root_url = '';
  let hub_answer = async () => succeeded();
  const agent = new Agent({ keepAlive: true, maxSockets: 40 });

  beforeAll(async () => {
    spine = await startSpine({ ceilings: { zone_calls_at_once: 3 }, refusals_recorded: RECORDED });
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
    hub = await spine.hub('h1', () => hub_answer());
    await hub.report();
    const config = {
      HOST: '127.0.0.1',
      PORT: 0,
      ALLOWED_HOSTS: '',
      ALLOWED_ORIGINS: '',
      TRUST_PROXY: '127.0.0.1',
    };
    root_url = await new Promise<string>((done, failed) => {
      const own = { zone: 'local', clock: systemClock, ids: randomIds, log: silentLog, config };
      const on_listening = (urls: { root_url: string }) => done(urls.root_url);
      zonalFacade
        .start({ ...own, bus: spine.connect('facade'), on_listening })
        .then((stop) => (facade = stop), failed);
    });
  }, 60_000);
  afterAll(async () => {
    agent.destroy();
    await facade();
    await spine.stop();
  }, 30_000);

  /** A minute passes, and the hub reports in it. */
  const minute = () => {
    spine.clock.advance(60_001);
    return hub.report();
  };
  async function lease(profile = 'InfraOpsRead'): Promise<{ bearer: string; session_id: string }> {
    const args = { target_id: 'hub:h1', capability_profile: profile };
    const { result } = await spine.operator('hub.issue_mcp_session', args);
    const { bearer, session } = result as { bearer: string; session: { session_id: string } };
    return { bearer, session_id: session.session_id };
  }
  function send(path: string, bearer: string, from: string, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${bearer}`,
        'x-forwarded-for': from,
        ...(body && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
      };
      request(root_url + path, { method: body ? 'POST' : 'GET', headers, agent }, (res) => {
        let text = '';
        res.on('data', (chunk) => (text += chunk));
        res.on('end', () =>
          resolve({
            status: res.statusCode!,
            retry_after: res.headers['retry-after'],
            body: JSON.parse(text),
          }),
        );
      })
        .on('error', reject)
        .end(body && JSON.stringify(body));
    });
  }
  const restCall = (bearer: string, from: string, tool_id = 'hub.get_status', args = {}) =>
    send('/v1/root/mcp/call', bearer, from, { tool_id, arguments: args });
  const mcpCall = (bearer: string, from: string, name = 'hub_get_status', args = {}) =>
    send('/v1/root/mcp', bearer, from, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    });

  const recordsOf = async (address: string) => {
    const rows = await spine.store.sql<{ body: StoredEvent }[]>`
      select body::json as body from event_records where body::json->'client'->>'address' = ${address}`;
    return rows.map(({ body }) => body);
  };

  test(`${FLOOD} bad bearers leave a bounded number of rows whose sum is right; nobody else notices`, async () => {
    const loud = '203.0.113.66';
    const neighbour = await lease();
    expect((await restCall(neighbour.bearer, loud)).body.ok).toBe(true);

    const statuses = new Map<number, number>();
    const others: Promise<Answer>[] = [];
    let left = FLOOD;
    const flood = async (worker: number) => {
      while (left-- > 0) {
        const bad = `mcp_${String(worker).padStart(3, '0')}${String(left).padStart(40, '0')}`;
        const { status } = await (left % 2 ? restCall : mcpCall)(bad, loud);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        // A client elsewhere, and one with a good bearer behind the very same address.
        if (left % 400 === 0)
          others.push(restCall(neighbour.bearer, loud), restCall(neighbour.bearer, '203.0.113.7'));
      }
    };
    await Promise.all(Array.from({ length: 32 }, (_, worker) => flood(worker)));
    expect((await Promise.all(others)).filter(({ body }) => !body.ok)).toEqual([]);
    expect(others.length).toBeGreaterThanOrEqual(90);
    // Ten times the recorded ones are looked at; calls on their way at that moment are too.
    expect([...statuses.keys()].sort()).toEqual([401, 429]);
    expect(statuses.get(401)).toBeGreaterThanOrEqual(RECORDED * 10);
    expect(statuses.get(401)).toBeLessThanOrEqual(RECORDED * 10 + 32);

    // A bearer never seen before waits here, and is heard anywhere else.
    const fresh = await lease();
    for (const path of ['/v1/root/mcp/targets', '/v1/root/mcp']) {
      const held = await send(path, fresh.bearer, loud);
      expect([held.status, Number(held.retry_after) > 0]).toEqual([429, true]);
      const details = held.body.error.details ?? held.body.error.data.details;
      expect(details).toEqual({ scope: 'address', retry_after_ms: expect.any(Number) });
    }
    expect((await restCall(fresh.bearer, '203.0.113.8')).body.ok).toBe(true);

    await minute();
    const rows = await until('the summary', async () => {
      const all = (await recordsOf(loud)).filter(({ event_type }) => event_type.startsWith('auth.'));
      return all.some(({ event_type }) => event_type === 'auth.denied.counted') ? all : undefined;
    });
    const single = rows.filter(({ event_type }) => event_type === 'auth.denied');
    const summaries = rows.filter(({ event_type }) => event_type === 'auth.denied.counted');
    expect(single).toHaveLength(RECORDED);
    expect(summaries).toHaveLength(1);
    const refused = summaries[0]!.result_summary as { refused: number; codes: Record<string, number> };
    // The two of the fresh bearer were counted too.
    expect(single.length + refused.refused).toBe(FLOOD + 2);
    expect(Object.values(refused.codes).reduce((sum, n) => sum + n, 0)).toBe(refused.refused);
    expect(JSON.stringify(rows)).not.toContain('mcp_0');
    // The minute is over: it is heard again.
    expect((await restCall(fresh.bearer, loud)).body.ok).toBe(true);
  }, 300_000);

  test('an agent in a loop of refused calls: recorded, counted, then held off; another lease goes on', async () => {
    const looping = await lease();
    const calm = await lease();
    const from = '203.0.113.20';
    const answers: Answer[] = [];
    const loop = async () => {
      while (answers.length < RECORDED * 12)
        answers.push(await restCall(looping.bearer, from, 'hub.restart_service', { service: 'web' }));
    };
    await Promise.all(Array.from({ length: 8 }, loop));
    expect(answers.every(({ body }) => body.ok === false)).toBe(true);
    expect(answers.filter(({ body }) => body.audit_event_id !== null)).toHaveLength(RECORDED);
    const last = await mcpCall(looping.bearer, from);
    const told = JSON.parse(last.body.result.content[0].text);
    expect([last.status, told.code, told.details.scope]).toEqual([200, 'rate_limited', 'credential']);
    expect(Number(last.retry_after)).toBe(Math.ceil(told.details.retry_after_ms / 1000));
    expect((await restCall(calm.bearer, from)).body.ok).toBe(true);

    await minute();
    const events = await until('the summary', async () => {
      const { result } = await spine.operator('operations.list_recent_events', {
        lease_id: looping.session_id,
        event_type: 'call.denied.counted',
      });
      const found = (result as { events: StoredEvent[] }).events;
      return found.length > 0 ? found : undefined;
    });
    expect(events.map(({ result_summary }) => result_summary!['refused'])).toEqual([
      answers.length + 1 - RECORDED,
    ]);
    expect((await restCall(looping.bearer, from)).body.ok).toBe(true);
  }, 60_000);

  test('an unknown path and another method are refused after the bearer, with an event each', async () => {
    const { bearer, session_id } = await lease();
    const from = '203.0.113.30';
    expect((await send('/v1/root/mcp/nope', 'bad', from)).status).toBe(401);
    const missing = await send('/v1/root/mcp/nope', bearer, from);
    const method = await send('/v1/root/mcp/targets/hub:h1', bearer, from, {});
    const on_mcp = await send('/v1/root/mcp', bearer, from);
    expect([missing.status, method.status, on_mcp.status]).toEqual([404, 405, 405]);
    const refused = (await recordsOf(from)).filter(({ lease_id }) => lease_id === session_id);
    expect(refused.map(({ event_type, error }) => [event_type, error?.details?.['rule']]).sort()).toEqual([
      ['call.refused', 'method'],
      ['call.refused', 'method'],
      ['call.refused', 'path'],
    ]);
    expect(refused.map(({ event_id }) => event_id)).toEqual(
      expect.arrayContaining([missing.body.audit_event_id, method.body.audit_event_id]),
    );
  });

  test('too many at once, on a target, by an actor and in the zone: the time to wait, on MCP and REST', async () => {
    const { bearer } = await lease('InfraOpsControl');
    const from = '203.0.113.40';
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    let running = 0;
    hub_answer = async () => (running++, await held, succeeded());
    const restart = (call: typeof restCall, name: string) => call(bearer, from, name, { service: 'web' });
    const first = restart(restCall, 'hub.restart_service');
    await until('the first on the hub', () => running === 1 || undefined);
    const rest = await restart(restCall, 'hub.restart_service');
    expect([rest.status, rest.retry_after, rest.body.error]).toEqual([
      200,
      '1',
      {
        code: 'concurrency_limited',
        message: expect.any(String),
        details: { scope: 'target', limit: 1, retry_after_ms: 1_000 },
      },
    ]);
    const mcp = await restart(mcpCall, 'hub_restart_service');
    expect([mcp.retry_after, JSON.parse(mcp.body.result.content[0].text)]).toEqual([
      '1',
      expect.objectContaining({
        code: 'concurrency_limited',
        details: { scope: 'target', limit: 1, retry_after_ms: 1_000 },
      }),
    ]);
    const reads = [restCall(bearer, from), restCall(bearer, from)];
    await until('the zone to be full', () => running === 3 || undefined);
    expect((await restCall(bearer, from)).body.error.details).toEqual({
      scope: 'zone',
      limit: 3,
      retry_after_ms: 1_000,
    });
    release();
    expect((await Promise.all([first, ...reads])).map(({ body }) => body.ok)).toEqual([true, true, true]);
    expect((await restCall(bearer, from)).body.ok).toBe(true);
  });

  test('the rate of a tool is told with the time to wait, on MCP and REST', async () => {
    const { bearer } = await lease('InfraOpsControl');
    const from = '203.0.113.50';
    hub_answer = async () => succeeded();
    const dry = (call: typeof restCall, name: string) =>
      call(bearer, from, name, { service: 'web', dry_run: true });
    let rest = await dry(restCall, 'hub.restart_service');
    for (let n = 0; n < 40 && rest.body.ok; n++) rest = await dry(restCall, 'hub.restart_service');
    const { code, details } = rest.body.error;
    expect([code, details]).toEqual([
      'rate_limited',
      { scope: 'tool', limit: 30, retry_after_ms: expect.any(Number) },
    ]);
    expect(Number(rest.retry_after)).toBe(Math.ceil(details.retry_after_ms / 1_000));
    const mcp = await dry(mcpCall, 'hub_restart_service');
    expect(Number(mcp.retry_after)).toBeGreaterThan(0);
    expect(JSON.parse(mcp.body.result.content[0].text)).toMatchObject({
      code: 'rate_limited',
      details: { scope: 'tool' },
    });
  });
});
