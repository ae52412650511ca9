import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../fixtures/http.js';
import { until } from '../fixtures/until.js';
import { JSON_TYPE, startFacade, type FacadeUnderTest } from '../fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const last = (subject: Parameters<FacadeUnderTest['router']['on']>[0]) => facade.router.on(subject).at(-1);

describe('the SDK answers the rest', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'initialize echoes %s as JSON, without a session',
    async (version) => {
      const params = {
        protocolVersion: version,
        capabilities: {},
        clientInfo: { name: 'codex', version: '0.171.0' },
      };
      const got = await facade.mcp({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      expect(got.json.result).toMatchObject({
        protocolVersion: version,
        serverInfo: { name: 'adaos-root-mcp', version: '0.1.0' },
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      });
      expect(got.json.result.instructions.length).toBeLessThan(600);
      expect(got.headers['mcp-session-id']).toBeUndefined();
      expect(last('router_identify').client).toMatchObject({ name: 'codex', version: '0.171.0', via: 'mcp' });
    },
  );

  test.each([
    [undefined],
    [{}],
    [{ protocolVersion: 1, capabilities: {}, clientInfo: {} }],
    [{ clientInfo: 'x' }],
  ])('initialize with %j is refused by what is missing, on record', async (params) => {
    const got = await facade.mcp({ jsonrpc: '2.0', id: 1, method: 'initialize', ...(params && { params }) });
    expect([got.status, got.json.error.code]).toEqual([200, -32602]);
    expect(got.json.error.message).toContain('params.protocolVersion');
    expect(last('router_refuse').details).toEqual({ path: '/params', rule: 'required' });
  });

  test('the modern revision has no initialize', async () => {
    const got = await facade.modern('initialize');
    expect([got.status, got.json.error.code]).toEqual([404, -32601]);
  });

  test('server/discover names the modern revision', async () => {
    const got = await facade.modern('server/discover');
    expect(got.json.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
      },
      ttlMs: 60_000,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'adaos-root-mcp', version: '0.1.0' } },
    });
  });

  test('an unknown method is -32601: 404 in the modern era, in the band in the legacy one', async () => {
    const modern = await facade.modern('resources/subscribe', { uri: 'adaos://event/evt_1' });
    expect([modern.status, modern.json.error.code]).toEqual([404, -32601]);
    const legacy = await facade.legacy('subscriptions/listen');
    expect([legacy.status, legacy.json.error.code]).toEqual([200, -32601]);
  });

  test.each(['ping', 'logging/setLevel'])('%s is answered in the legacy era', async (method) => {
    const got = await facade.legacy(method, method === 'ping' ? {} : { level: 'info' });
    expect([got.status, got.json.result]).toEqual([200, {}]);
  });

  test('a legacy notification is taken without a word', async () => {
    const got = await facade.mcp({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([got.status, got.text]).toEqual([202, '']);
  });

  test('F08: clients that initialize and vanish leave nothing under way', async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const came = facade.router.on('router_identify').length + 100;
    const clients = Array.from({ length: 100 }, () => {
      const gone = new AbortController();
      const sent = facade.http('/v1/root/mcp', {
        method: 'POST',
        headers: [JSON_TYPE],
        body,
        signal: gone.signal,
      });
      return { gone, sent: sent.catch(() => null) };
    });
    await facade.router.until('router_identify', came);
    for (const { gone } of clients) gone.abort();
    await Promise.all(clients.map(({ sent }) => sent));
    // One: the request that asks.
    await until(async () => (await facade.metrics()).includes('adaos_facade_in_flight 0\n'));
  });
});

test('a slow or missing answer of router never shows its inside', async () => {
  const away = await startFacade({ router_away: true });
  try {
    for (const method of ['tools/list', 'tools/call', 'initialize', 'ping']) {
      const got = await away.mcp({ jsonrpc: '2.0', id: 3, method, params: { name: 'hub_get_status' } });
      expect([got.status, got.headers['retry-after']]).toEqual([503, '1']);
      expect(got.json).toMatchObject({
        jsonrpc: '2.0',
        id: 3,
        error: { code: 1033, data: { code: 'dependency_unavailable' } },
      });
      expect(got.text).not.toMatch(/mcp\.v1|no_responders|\.ts|\bat /);
    }
    for (const body of ['{', [], { jsonrpc: '2.0', method: 'tools/call' }])
      expect((await away.mcp(body)).status).toBe(503);
    expect((await away.http('/v1/root/mcp')).status).toBe(503);
    expect((await send(`${away.urls.root_url}/readyz`)).status).toBe(503);
  } finally {
    await away.stop();
  }
});
