import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Envelope } from '@adaos/contracts';
import { startFacade, type FacadeUnderTest } from '../fixtures/facade.js';

const TRACE = 'a'.repeat(32);
const TRACEPARENT = ['traceparent', `00-${TRACE}-bbbbbbbbbbbbbbbb-01`] as const;
const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': { name: 'adaos-root-mcp', version: '0.1.0' } };

// The same expectations on both ways: what they send is one contract.
describe.each([true, false])('tools/call, fast path %s', (fast_path) => {
  let facade: FacadeUnderTest;
  beforeAll(async () => {
    facade = await startFacade({ fast_path });
  });
  afterAll(() => facade.stop());

  const lastCall = () => facade.router.on('router_call').at(-1);
  const answer = (tool_id: string, part: Partial<Envelope>) => facade.router.answer(tool_id, () => part);

  test('a success carries the result twice and the record ids', async () => {
    answer('hub.get_status', {
      result: { hub_id: 'demo', note: '"quoted" é' },
      redactions: [{ rule: 'secrets', count: 2 }],
      truncated: true,
      provenance: { source: 'subnet_active', adapter: 'status', complete: false },
      dry_run: true,
      audit_event_id: 'evt_1',
    });
    const got = await facade.legacy('tools/call', { name: 'hub_get_status', arguments: {} }, 'x', [
      TRACEPARENT,
    ]);
    expect(got.status).toBe(200);
    expect(got.json).toEqual({
      jsonrpc: '2.0',
      id: 'x',
      result: {
        content: [{ type: 'text', text: '{"hub_id":"demo","note":"\\"quoted\\" é"}' }],
        structuredContent: { hub_id: 'demo', note: '"quoted" é' },
        _meta: {
          'io.adaos/tool_id': 'hub.get_status',
          'io.adaos/audit_event_id': 'evt_1',
          'io.adaos/trace_id': TRACE,
          'io.adaos/request_id': 'req_double',
          'io.adaos/dry_run': true,
          'io.adaos/redactions': [{ rule: 'secrets', count: 2 }],
          'io.adaos/truncated': true,
          'io.adaos/provenance': { source: 'subnet_active', adapter: 'status', complete: false },
        },
      },
    });
  });

  test('a modern result is complete and says who answers', async () => {
    answer('hub.get_status', { result: { hub_id: 'demo' } });
    const { result } = (await facade.modern('tools/call', { name: 'hub_get_status' })).json;
    expect(result.resultType).toBe('complete');
    expect(result._meta).toMatchObject({ 'io.adaos/tool_id': 'hub.get_status', ...SERVER_INFO });
  });

  test('the request that router gets', async () => {
    answer('hub.get_status', { result: {} });
    const headers = [
      ['User-Agent', 'codex/0.171.0 (linux)'],
      ['X-AdaOS-Zone', 'zone-a'],
      ['X-Forwarded-For', '10.9.9.9'],
    ] as const;
    await facade.legacy(
      'tools/call',
      { name: 'hub.get_status', _meta: { traceparent: TRACEPARENT[1] } },
      1,
      headers,
    );
    expect(lastCall()).toEqual({
      call_id: expect.stringMatching(/^req_/),
      bearer_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      zone: 'zone-a',
      subnet_id: null,
      name: 'hub.get_status',
      arguments: {},
      trace_id: TRACE,
      client: { name: 'codex', version: '0.171.0', via: 'mcp', address: '127.0.0.1' },
    });
    await facade.modern('tools/call', { name: 'hub_get_status' });
    expect(lastCall().client).toMatchObject({ name: 'test-client', version: '9.9' });
  });

  test('a refusal is a result with isError, JSON in the text and no structuredContent', async () => {
    answer('hub.restart_service', {
      status: 'denied',
      error: { code: 'environment_forbidden', message: 'No.', details: { decision_id: 'dec_1' } },
      audit_event_id: 'evt_2',
    });
    const params = { name: 'hub_restart_service', arguments: { service: 'demo' } };
    const { result } = (await facade.legacy('tools/call', params, 1, [TRACEPARENT])).json;
    expect(Object.keys(result).sort()).toEqual(['_meta', 'content', 'isError']);
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toEqual({
      code: 'environment_forbidden',
      message: 'No.',
      details: { decision_id: 'dec_1' },
      request_id: 'req_double',
      trace_id: TRACE,
      audit_event_id: 'evt_2',
      status: 'denied',
    });
    expect(result._meta['io.adaos/audit_event_id']).toBe('evt_2');
  });

  test('an unknown tool and one not granted read the same', async () => {
    answer('hub.get_logs', {
      error: { code: 'tool_not_found', message: 'hub.get_logs is not in the lease' },
    });
    for (const name of ['no_such_tool', 'hub_get_logs', 'constructor', '', 'x'.repeat(5_000)]) {
      const got = await facade.legacy('tools/call', { name });
      expect([got.status, got.json.error.code, got.json.error.message]).toEqual([
        200,
        -32602,
        'Unknown tool',
      ]);
      expect(Object.keys(got.json.error.data).sort()).toEqual(['audit_event_id', 'request_id', 'trace_id']);
    }
  });

  test.each([
    ['null', null],
    ['an array', []],
    ['text', 'x'],
    ['a number', 5],
  ])('F09: arguments as %s go to router as sent and are -32602', async (_, args) => {
    const got = await facade.legacy('tools/call', { name: 'hub_get_logs', arguments: args });
    expect(lastCall().arguments).toEqual(args);
    expect([got.status, got.json.error.code]).toEqual([200, -32602]);
    expect(got.json.error.data).toMatchObject({
      code: 'invalid_argument',
      details: { path: '', rule: 'type' },
    });
    expect(got.text).not.toMatch(/zod|ZodError|\.ts|node_modules|expected/i);
  });

  test('F09: absent arguments are {}, and a number sent as text is told what to change', async () => {
    answer('hub.get_status', { result: {} });
    await facade.legacy('tools/call', { name: 'hub_get_status' });
    expect(lastCall().arguments).toEqual({});
    const { result } = (
      await facade.legacy('tools/call', { name: 'hub_get_logs', arguments: { tail: '50' } })
    ).json;
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toMatchObject({
      code: 'invalid_argument',
      message: '/tail must be a number; it came as a string, and nothing is converted.',
      details: { path: '/tail', rule: 'type' },
    });
  });

  test.each([[{}], [{ name: 5 }], [{ name: null }], [undefined]])(
    'a call without a name is refused and recorded: %j',
    async (params) => {
      const got = await facade.legacy('tools/call', params as never);
      expect([got.status, got.json.error.code, got.json.error.message]).toEqual([
        200,
        -32602,
        'params.name must be a string.',
      ]);
      expect(facade.router.on('router_refuse').at(-1).details).toEqual({
        path: '/params/name',
        rule: 'type',
      });
    },
  );

  test('F06: the published name and the dotted id reach one tool, in both eras', async () => {
    answer('hub.get_status', { result: {} });
    for (const name of ['hub_get_status', 'hub.get_status']) {
      for (const era of ['legacy', 'modern'] as const) {
        const { result } = (await facade[era]('tools/call', { name })).json;
        expect(result._meta['io.adaos/tool_id']).toBe('hub.get_status');
      }
    }
  });

  test('a request over the limit of the bus is result_too_large, before any timeout, and on record', async () => {
    const args = { contains: 'x'.repeat(1_048_576 - 200) };
    const got = await facade.mcp({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'hub_get_logs', arguments: args },
    });
    expect([got.status, got.json.result.isError]).toEqual([200, true]);
    expect(JSON.parse(got.json.result.content[0].text).code).toBe('result_too_large');
    expect(facade.router.on('router_refuse').at(-1)).toMatchObject({ code: 'result_too_large' });
  });
});

describe.each([true, false])('tools/list, fast path %s', (fast_path) => {
  let facade: FacadeUnderTest;
  beforeAll(async () => {
    facade = await startFacade({ fast_path });
  });
  afterAll(() => facade.stop());

  test('the modern list has hints, the legacy one has tools alone', async () => {
    const modern = (await facade.modern('tools/list')).json.result;
    expect(modern).toMatchObject({
      ttlMs: 5_000,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: SERVER_INFO,
    });
    const legacy = (await facade.legacy('tools/list')).json.result;
    expect(Object.keys(legacy)).toEqual(['tools']);
    expect(legacy.tools).toEqual(modern.tools);
  });

  test('F06, F10: every name is one all clients take, every schema plain', async () => {
    const { tools } = (await facade.legacy('tools/list')).json.result;
    const names = tools.map((tool: { name: string }) => tool.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_]{0,39}$/);
    expect(JSON.stringify(tools)).not.toMatch(/"\$(ref|schema|defs)"/);
  });

  test('a cursor is refused, an empty one is none', async () => {
    const got = await facade.legacy('tools/list', { cursor: 'p2' });
    expect([got.status, got.json.error.code]).toEqual([200, -32602]);
    expect((await facade.legacy('tools/list', { cursor: '' })).json.result.tools.length).toBeGreaterThan(10);
  });
});
