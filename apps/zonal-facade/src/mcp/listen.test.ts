import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sha256, TOOL_CONTRACTS } from '@adaos/contracts';
import { testClock, type TestClock } from '@adaos/testing';
import { until } from '../fixtures/until.js';
import { bearer, MODERN_META, modernHeaders, startFacade, type FacadeUnderTest } from '../fixtures/facade.js';
import { BEARERS } from '../fixtures/router-double.js';

const ALL = TOOL_CONTRACTS.map((c) => c.tool_id);
const ID = 'io.modelcontextprotocol/subscriptionId';

let facade: FacadeUnderTest;
let clock: TestClock;
const opened: { close(): void }[] = [];
beforeEach(async () => {
  clock = testClock();
  facade = await startFacade({
    clock,
    bounds: { streams_per_lease: 2, watched: 2, stream_backlog_bytes: 4_096 },
  });
  facade.router.answer('operations.get_managed_target', ({ arguments: args }) =>
    (args as { target_id?: string }).target_id === 'hub:other'
      ? { error: { code: 'target_forbidden', message: '' } }
      : { result: { target: { target_id: 'hub:demo' } } },
  );
  facade.router.answer('adaos_dev.get_descriptor', () => ({
    result: { descriptor: { content_hash: 'one' } },
  }));
});
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.close();
  await facade.stop();
});

/** An open stream: its head, the messages and comments so far. */
async function listen(notifications: unknown, { id = 1 as unknown, token = BEARERS.good as string } = {}) {
  const method = 'subscriptions/listen';
  const params = { _meta: MODERN_META, ...(notifications !== undefined && { notifications }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const headers = Object.fromEntries([
    ...modernHeaders(method),
    bearer(token),
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
  ] as [string, string][]);
  const stream = { status: 0, headers: {} as Record<string, unknown>, text: '', ended: false, cut: false };
  const req = request(facade.urls.mcp_url, { method: 'POST', headers, agent: false });
  req.on('error', () => (stream.cut = true));
  req.on('response', (res) => {
    Object.assign(stream, { status: res.statusCode, headers: res.headers });
    res.on('data', (chunk: Buffer) => (stream.text += chunk.toString()));
    res.on('end', () => (stream.ended = true));
    res.on('error', () => (stream.cut = true));
  });
  req.end(body);
  opened.push({ close: () => req.destroy() });
  await until(() => stream.text !== '' || stream.ended);
  return {
    ...{ stream, close: () => req.destroy() },
    messages: () => [...stream.text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1]!)),
    methods: () =>
      [...stream.text.matchAll(/^data: (.*)$/gm)].map(
        (match) => (JSON.parse(match[1]!) as { method?: string }).method ?? 'result',
      ),
  };
}
/** Moves time on until router was asked for the standings once more. */
const look = async () => {
  const asked = facade.router.on('router_standing').length;
  await until(() => {
    clock.advance(10);
    return facade.router.on('router_standing').length > asked;
  });
};
const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const openStreams = async () => /adaos_facade_in_flight (\d+)/.exec(await facade.metrics())![1];

describe('subscriptions/listen', () => {
  test('is acknowledged first, with what will be told, on a stream no proxy holds back', async () => {
    const { stream, messages } = await listen({ ...LISTS, unknown: 1 }, { id: 'sub-1' });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(stream.headers).toMatchObject({
      'x-accel-buffering': 'no',
      'cache-control': 'no-store, no-transform',
    });
    expect(messages()).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: LISTS, _meta: { [ID]: 'sub-1' } },
      },
    ]);
    expect(facade.router.on('router_listed').at(-1)).toMatchObject({ purpose: 'subscription.listen' });
    // An open stream is no request under way: the one counted is the one that asks.
    expect(await openStreams()).toBe('0');
  });

  test.each([[undefined], [5], [{ toolsListChanged: 'yes' }], [{ resourceSubscriptions: [5] }]])(
    'a filter like %j is refused',
    async (filter) => {
      const { stream } = await listen(filter);
      expect(JSON.parse(stream.text)).toMatchObject({ error: { code: -32602 } });
    },
  );

  test('a filter that leaves nothing is acknowledged and ended', async () => {
    const { stream, methods } = await listen({ toolsListChanged: false });
    await until(() => stream.ended);
    expect(methods()).toEqual(['notifications/subscriptions/acknowledged', 'result']);
  });

  test('what the target publishes changes: every list asked for is told once, and only when it is another', async () => {
    const { methods } = await listen({ toolsListChanged: true, promptsListChanged: true });
    const asked = () => facade.router.on('router_standing').length;
    facade.publish('router', 'target_changed', { target_id: 'hub:demo' });
    await facade.router.until('router_standing', asked() + 1);
    facade.router.lists(ALL.slice(1));
    facade.publish('router', 'target_changed', { target_id: 'hub:demo' });
    const told = ['notifications/tools/list_changed', 'notifications/prompts/list_changed'];
    await until(() => methods().length === 3);
    expect(methods().slice(1)).toEqual(told);
    facade.publish('policy', 'policy_changed', { revision: 'r2' });
    await facade.router.until('router_standing', asked() + 1);
    expect(methods()).toHaveLength(3);
  });

  test('another target’s change is not even asked about', async () => {
    await listen(LISTS);
    facade.publish('router', 'target_changed', { target_id: 'hub:other' });
    facade.publish('router', 'target_changed', { target_id: 'hub:demo' });
    await facade.router.until('router_standing', 1);
    expect(facade.router.on('router_standing')).toEqual([
      { bearer_digests: [sha256(BEARERS.good)], lists: true },
    ]);
  });

  test('a change whose event was lost is found by looking', async () => {
    const { methods } = await listen({ toolsListChanged: true });
    facade.router.lists(ALL.slice(1));
    for (let looks = 0; looks < 30; looks++) await look();
    await until(() => methods().includes('notifications/tools/list_changed'));
  });

  test('resources are told of by the URI as the client wrote it, if they can be read', async () => {
    const { messages, methods } = await listen({
      resourceSubscriptions: [
        'adaos://target/hub:other',
        'adaos://contract/hub.get_status',
        'adaos://nothing/x',
        'adaos://target/hub:demo',
        'adaos://target/hub%3Ademo',
        'adaos://descriptor/plane_registry',
        'adaos://event/evt_over_the_cap',
      ],
    });
    const uris = ['adaos://target/hub:demo', 'adaos://descriptor/plane_registry'];
    expect(messages()[0].params.notifications).toEqual({ resourceSubscriptions: uris });
    facade.publish('descriptor', 'descriptor_published', {
      descriptor_id: 'plane_registry',
      content_hash: 'one',
    });
    facade.publish('audit', 'record_completed', { event_id: 'evt_over_the_cap' });
    facade.publish('router', 'target_changed', { target_id: 'hub:other' });
    facade.publish('descriptor', 'descriptor_published', {
      descriptor_id: 'plane_registry',
      content_hash: 'two',
    });
    facade.publish('router', 'target_changed', { target_id: 'hub:demo' });
    await until(() => methods().length >= 3);
    expect(messages().slice(1)).toEqual(
      [uris[1], uris[0]].map((uri) => ({
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { uri, _meta: { [ID]: 1 } },
      })),
    );
  });

  test('a comment keeps it open, well within the time idle lines are cut after (F08)', async () => {
    const { stream } = await listen(LISTS);
    for (let looks = 0; looks < 30; looks++) await look();
    await until(() => stream.text.includes(': keepalive'));
    expect(stream.ended).toBe(false);
    expect(stream.text).toContain(': keepalive\n\n');
  });

  test('one lease has its cap, another its own', async () => {
    const first = await listen(LISTS);
    await listen(LISTS);
    const third = await listen(LISTS);
    expect(JSON.parse(third.stream.text)).toMatchObject({
      error: { code: 1025, data: { code: 'concurrency_limited' } },
    });
    first.close();
    await until(async () => (await listen(LISTS)).stream.headers['content-type'] === 'text/event-stream');
  });

  test('one subnet has its cap, however many leases it has; another has room', async () => {
    await facade.stop();
    facade = await startFacade({ clock, bounds: { streams_per_lease: 2, streams_per_subnet: 1 } });
    await listen(LISTS);
    const second = await listen(LISTS);
    expect(JSON.parse(second.stream.text)).toMatchObject({
      error: { data: { code: 'concurrency_limited' } },
    });
    const neighbour = await listen(LISTS, { token: BEARERS.other });
    expect(neighbour.stream.headers['content-type']).toBe('text/event-stream');
  });

  test('a revoked lease ends its streams at once, with a result', async () => {
    const { stream, messages } = await listen(LISTS, { id: 9 });
    facade.publish('session', 'lease_revoked', { lease_id: 'lse_2', target_id: 'hub:demo', epoch: 1 });
    facade.publish('session', 'lease_revoked', { lease_id: 'lse_1', target_id: 'hub:demo', epoch: 2 });
    await until(() => stream.ended);
    expect(messages().at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 9,
      result: {
        resultType: 'complete',
        _meta: {
          [ID]: 9,
          'io.modelcontextprotocol/serverInfo': { name: 'adaos-root-mcp', version: '0.1.0' },
        },
      },
    });
  });

  test('a lost revocation leaves a stream open for one look, an expiry is seen the same way', async () => {
    const one = await listen(LISTS);
    const two = await listen(LISTS, { token: BEARERS.other });
    facade.router.forget(sha256(BEARERS.good));
    clock.advance(500);
    await until(() => one.stream.ended);
    expect(two.stream.ended).toBe(false);
    expect(facade.router.on('router_standing')[0].bearer_digests).toEqual([
      sha256(BEARERS.good),
      sha256(BEARERS.other),
    ]);
  });

  test('a router that does not vouch for two seconds ends them: silence is no permission', async () => {
    const { stream, methods } = await listen(LISTS);
    await facade.router.stop();
    clock.advance(2_000);
    expect(stream.ended).toBe(false);
    clock.advance(500);
    await until(() => stream.ended);
    expect(methods().at(-1)).toBe('result');
  });

  test('a stop ends streams before it waits for requests', async () => {
    const { stream, methods } = await listen(LISTS);
    const began = performance.now();
    await facade.stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    await until(() => stream.ended);
    expect(methods().at(-1)).toBe('result');
    facade = await startFacade({ clock });
  });

  test('a dead bearer gets the 401, a missing envelope the SDK’s refusal', async () => {
    expect((await listen(LISTS, { token: BEARERS.revoked })).stream.status).toBe(401);
    const bare = await facade.mcp(
      { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: LISTS } },
      modernHeaders('subscriptions/listen'),
    );
    expect([bare.status, bare.json.error.code]).toEqual([400, -32602]);
  });
});
