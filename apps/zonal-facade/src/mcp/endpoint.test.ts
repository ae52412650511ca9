import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  MODERN_META,
  modernHeaders,
  NO_AUTH,
  startFacade,
  type FacadeUnderTest,
  type Header,
} from '../fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const last = (subject: Parameters<FacadeUnderTest['router']['on']>[0]) => facade.router.on(subject).at(-1);

describe('F01 Accept', () => {
  test.each(['*/*', 'application/json', 'text/event-stream;q=0.9, application/json', 'application/*', ''])(
    'Accept: "%s" gets JSON',
    async (accept) => {
      const got = await facade.mcp(LIST, [['Accept', accept]]);
      expect([got.status, got.headers['content-type']]).toEqual([200, 'application/json']);
      expect(got.json.result.tools[0].name).toBe('adaos_dev_get_foundation');
    },
  );

  test.each(['fast path', 'initialize by the SDK'])(
    'text/event-stream alone gets one SSE message: %s',
    async (way) => {
      const params = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      };
      const body = way === 'fast path' ? LIST : { jsonrpc: '2.0', id: 1, method: 'initialize', params };
      const got = await facade.mcp(body, [['Accept', 'text/event-stream']]);
      expect([got.status, got.headers['content-type']]).toEqual([200, 'text/event-stream']);
      const [, event, data] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(got.text) ?? [];
      expect(event).toBe('message');
      expect(JSON.parse(data!)).toMatchObject({ jsonrpc: '2.0', id: 1, result: {} });
    },
  );

  test('text/html alone gets 406 and leaves a refusal', async () => {
    const got = await facade.mcp(LIST, [['Accept', 'text/html, application/json;q=0']]);
    expect([got.status, got.json.error.code]).toEqual([406, -32600]);
    expect(last('router_refuse').details).toEqual({ rule: 'accept' });
    expect(got.json.error.data.audit_event_id).toMatch(/^evt_/);
  });

  test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])(
    '%s gets 405 with Allow after authentication',
    async (method) => {
      const got = await facade.http('/v1/root/mcp', { method, headers: [['Accept', 'text/event-stream']] });
      expect([got.status, got.headers.allow]).toEqual([405, 'POST']);
      const stranger = await facade.http('/v1/root/mcp', { method, headers: [NO_AUTH] });
      expect(stranger.status).toBe(401);
    },
  );
});

describe('F02 versions and batches', () => {
  test('no version header is served', async () => {
    expect((await facade.mcp(LIST)).status).toBe(200);
  });

  test.each(['not-a-version', '1999-01-01'])(
    'version "%s" gets 400 and nothing is asked',
    async (version) => {
      const before = facade.router.on('router_list_tools').length;
      const got = await facade.mcp(LIST, [['MCP-Protocol-Version', version]]);
      expect(got.status).toBe(400);
      expect(facade.router.on('router_list_tools')).toHaveLength(before);
      expect(last('router_refuse').details).toEqual({ rule: 'protocol' });
    },
  );

  test('a modern revision not served is told what is', async () => {
    const _meta = { ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
    const got = await facade.mcp({ ...LIST, params: { _meta } }, [
      ['MCP-Protocol-Version', '2030-01-01'],
      ['Mcp-Method', 'tools/list'],
    ]);
    expect(got.status).toBe(400);
    expect(got.json.error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2030-01-01' },
    });
  });

  test.each([
    ['a header names another method', modernHeaders('tools/call'), -32020],
    ['a header is missing', [['MCP-Protocol-Version', '2026-07-28'] as Header], -32020],
  ])('modern: %s', async (_, headers, code) => {
    const got = await facade.mcp({ ...LIST, params: { _meta: MODERN_META } }, headers);
    expect([got.status, got.json.error.code]).toEqual([400, code]);
  });

  test('modern: missing _meta is an invalid parameter', async () => {
    const got = await facade.mcp({ ...LIST, params: {} }, modernHeaders('tools/list'));
    expect([got.status, got.json.error.code]).toEqual([400, -32602]);
  });

  test.each([
    [[]],
    [
      [
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', id: 2, method: 'ping' },
      ],
    ],
  ])('a batch is refused whole: %j', async (batch) => {
    for (const headers of [[], [['MCP-Protocol-Version', '2025-03-26'] as const]]) {
      const got = await facade.mcp(batch, headers);
      expect([got.status, got.json.id, got.json.error.code]).toEqual([400, null, -32600]);
      expect(last('router_refuse').details).toEqual({ rule: 'batch' });
    }
  });

  test.each([0, -7, 9007199254740991, 'id-é', '', '9007199254740993'])(
    'id %j is echoed exactly',
    async (id) => {
      expect((await facade.legacy('tools/list', {}, id)).json.id).toBe(id);
      expect((await facade.modern('tools/list', {}, id)).json.id).toBe(id);
    },
  );

  test.each(['1.5', 'null', 'true', '{}', '[1]', '9007199254740993'])('id %s is refused', async (id) => {
    const got = await facade.mcp(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
    expect([got.status, got.json.id, got.json.error.code]).toEqual([400, null, -32600]);
  });
});

describe('F03 notifications', () => {
  const CALL = {
    jsonrpc: '2.0',
    method: 'tools/call',
    params: { name: 'hub.restart_service', arguments: { service: 'demo' } },
  };

  test('a tool call without id is not run and leaves a refusal', async () => {
    const got = await facade.mcp(CALL);
    expect([got.status, got.text]).toEqual([202, '']);
    expect(facade.router.on('router_call')).toHaveLength(0);
    expect(last('router_refuse')).toMatchObject({
      code: 'invalid_argument',
      details: { rule: 'notification', name: 'hub.restart_service' },
    });
  });

  test('a tool call without id and without a lease gets 401', async () => {
    expect((await facade.mcp(CALL, [NO_AUTH])).status).toBe(401);
  });

  test('an unknown notification is taken, one with an id is an unknown method', async () => {
    const unknown = await facade.mcp({ jsonrpc: '2.0', method: 'notifications/x' });
    expect([unknown.status, unknown.text]).toEqual([202, '']);
    const got = await facade.mcp({
      jsonrpc: '2.0',
      id: 5,
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    });
    expect(got.json).toMatchObject({ id: 5, error: { code: -32601 } });
  });
});

describe('F07 probes and slashes', () => {
  test.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/v1/root/mcp',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/register',
    '/nothing/here',
  ])('%s is a JSON 404', async (path) => {
    const got = await facade.http(path, { headers: [NO_AUTH] });
    expect([got.status, got.headers['content-type']]).toEqual([404, 'application/json']);
    expect(got.json.ok).toBe(false);
  });

  test('the endpoint answers with and without a trailing slash, without a redirect', async () => {
    expect((await facade.mcp(LIST)).status).toBe(200);
    expect((await facade.mcp(LIST, [], '/v1/root/mcp/')).status).toBe(200);
  });

  test('no bearer: 401 JSON, a challenge without error and without resource_metadata', async () => {
    const got = await facade.mcp(LIST, [NO_AUTH]);
    expect(got.status).toBe(401);
    expect(got.headers['www-authenticate']).toBe('Bearer realm="root-mcp"');
    expect(got.headers['cache-control']).toBe('no-store');
    expect(Object.keys(got.json)).toEqual(['error', 'error_description']);
  });
});
