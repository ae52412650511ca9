import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Envelope, Run, RunView } from '@adaos/contracts';
import { GetTaskResultV2Schema, CreateTaskResultV2Schema } from '@modelcontextprotocol/ext-tasks/core/v2';
import { BEARERS } from '../fixtures/router-double.js';
import { bearer, MODERN_META, startFacade, type FacadeUnderTest, type Header } from '../fixtures/facade.js';

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const run = (over: Partial<Run> = {}): Run => ({
  run_id: 'run_1',
  status: 'working',
  tool_id: 'hub.restart_service',
  target_id: 'hub:demo',
  subnet_id: 'subnet-a',
  event_id: 'evt_1',
  progress: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:01.000Z',
  expires_at: '2026-01-01T01:00:30.000Z',
  ...over,
});
const outcome = (over: Partial<Envelope> = {}): Envelope => ({
  request_id: 'req_1',
  trace_id: 'a'.repeat(32),
  tool_id: 'hub.restart_service',
  surface: 'operations',
  ok: true,
  status: 'succeeded',
  dry_run: false,
  result: { service: 'web' },
  redactions: [],
  audit_event_id: 'evt_1',
  meta: {},
  ...over,
});
const failed = (code: string, status: Envelope['status'] = 'failed'): Envelope => {
  const { result: _, ...rest } = outcome({ ok: false, status, error: { code, message: 'It went wrong.' } });
  return rest;
};

describe.each([true, false])('tasks extension, fast path %s', (fast_path) => {
  let facade: FacadeUnderTest;
  beforeAll(async () => {
    facade = await startFacade({ fast_path });
    facade.router.answer('hub.restart_service', () => ({ result: { at: 'once' } }));
  });
  afterAll(() => facade.stop());
  beforeEach(() => facade.router.runs.clear());

  const meta = (capabilities: object) => ({
    ...MODERN_META,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  });
  const restart = (capabilities: object, name = 'hub_restart_service') =>
    facade.modern('tools/call', { name, arguments: { service: 'web' }, _meta: meta(capabilities) });
  const on = (
    verb: string,
    taskId: unknown,
    more: object = {},
    capabilities: object = TASKS,
    headers: Header[] = [],
  ) =>
    facade.modern(`tasks/${verb}`, { taskId, _meta: meta(capabilities), ...more }, 4, [
      ...(typeof taskId === 'string' ? [['Mcp-Name', taskId] as const] : []),
      ...headers,
    ]);
  const put = (view: RunView) => facade.router.runs.set(view.run.run_id, view);

  test('server/discover names the extension, initialize does not', async () => {
    const found = (await facade.modern('server/discover')).json.result.capabilities;
    expect(found.extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} });
    expect(found).not.toHaveProperty('tasks');
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    const old = await facade.mcp({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect(old.json.result.capabilities).not.toHaveProperty('extensions');
  });

  test('a call that goes on is answered with its task', async () => {
    facade.router.runs.set('start', { run: run(), outcome: null });
    const { result } = (await restart(TASKS)).json;
    expect(result).toMatchObject({
      resultType: 'task',
      taskId: 'run_1',
      status: 'working',
      createdAt: '2026-01-01T00:00:00.000Z',
      lastUpdatedAt: '2026-01-01T00:00:01.000Z',
      ttlMs: 3_630_000,
      pollIntervalMs: 1_000,
      _meta: { 'io.adaos/tool_id': 'hub.restart_service', 'io.modelcontextprotocol/serverInfo': {} },
    });
    for (const absent of ['task', 'result', 'error', 'requestState', 'ttl', 'content'])
      expect(result).not.toHaveProperty(absent);
    expect(CreateTaskResultV2Schema.safeParse(result).success).toBe(true);
  });

  test('one that ends at once is answered as ever', async () => {
    const { result } = (await restart(TASKS)).json;
    expect([result.resultType, result.structuredContent]).toEqual(['complete', { at: 'once' }]);
  });

  test.each([
    ['a client that did not declare it', {}, 'hub_restart_service'],
    ['a tool that does not go on', TASKS, 'hub_get_status'],
  ])('%s gets no task', async (_, capabilities, name) => {
    facade.router.runs.set('start', { run: run(), outcome: null });
    const before = facade.router.on('router_start_run').length;
    expect((await restart(capabilities, name)).json.result.resultType).toBe('complete');
    expect(facade.router.on('router_start_run')).toHaveLength(before);
  });

  test('tasks/get: working, with how far it has come', async () => {
    put({ run: run({ progress: { progress: 1, total: 3, message: 'starting web' } }), outcome: null });
    const { result } = (await on('get', 'run_1')).json;
    expect(result).toMatchObject({
      resultType: 'complete',
      taskId: 'run_1',
      status: 'working',
      statusMessage: 'starting web',
    });
    for (const absent of ['result', 'error', 'requestState']) expect(result).not.toHaveProperty(absent);
    expect(GetTaskResultV2Schema.safeParse(result).success).toBe(true);
  });

  test.each<[string, Run['status'], Envelope, object]>([
    [
      'a success',
      'completed',
      outcome(),
      { result: { structuredContent: { service: 'web' }, content: [{ type: 'text' }] } },
    ],
    [
      'a tool that failed',
      'completed',
      failed('adapter_failed'),
      { result: { isError: true }, statusMessage: 'It went wrong.' },
    ],
    ['a fault of ours', 'failed', failed('internal'), { error: { code: -32603, message: 'It went wrong.' } }],
    ['a cancel', 'cancelled', failed('cancelled', 'cancelled'), { status: 'cancelled' }],
  ])('tasks/get: %s', async (_, status, envelope, shown) => {
    put({ run: run({ status }), outcome: envelope });
    const { result } = (await on('get', 'run_1')).json;
    expect(result).toMatchObject({ status, ...shown });
    expect('result' in result && 'error' in result).toBe(false);
    expect(result.result?._meta ?? {}).not.toHaveProperty('io.modelcontextprotocol/related-task');
    expect(GetTaskResultV2Schema.safeParse(result).success).toBe(true);
  });

  test('update and cancel are acknowledged and say nothing of the task', async () => {
    put({ run: run(), outcome: null });
    for (const [verb, more] of [
      ['cancel', {}],
      ['update', { inputResponses: { unknown: { x: 1 } } }],
    ] as const) {
      const { result } = (await on(verb, 'run_1', more)).json;
      expect(Object.keys(result).sort()).toEqual(['_meta', 'resultType']);
      expect(result.resultType).toBe('complete');
      expect(facade.router.on('router_run').at(-1)).toMatchObject({ run_id: 'run_1', verb });
    }
    expect((await on('update', 'run_1', { inputResponses: 5 })).json.error.code).toBe(-32602);
  });

  test.each(['get', 'update', 'cancel'])(
    'tasks/%s of an unknown task is refused, on record',
    async (verb) => {
      for (const id of ['run_unknown', 'x'.repeat(65), 5, undefined]) {
        const got = await on(verb, id, { inputResponses: {} });
        expect([got.status, got.json.error.code]).toEqual([200, -32602]);
        expect(facade.router.on('router_refuse').at(-1)).toMatchObject({ details: { rule: 'unknown' } });
      }
    },
  );

  test.each(['get', 'update', 'cancel'])(
    'tasks/%s needs the extension: -32021, after the bearer',
    async (verb) => {
      const got = await on(verb, 'run_1', { inputResponses: {} }, {});
      expect([got.status, got.json.error.code]).toEqual([400, -32021]);
      expect(got.json.error.data).toMatchObject({
        requiredCapabilities: TASKS,
        audit_event_id: expect.any(String),
      });
      for (const capabilities of [{}, TASKS])
        expect(
          (await on(verb, 'run_1', { inputResponses: {} }, capabilities, [bearer(BEARERS.revoked)])).status,
        ).toBe(401);
    },
  );

  test('Mcp-Name repeats the task; there is no list and no result method; the older era has none of it', async () => {
    put({ run: run(), outcome: null });
    const wrong = await facade.modern('tasks/get', { taskId: 'run_1', _meta: meta(TASKS) }, 4, [
      ['Mcp-Name', 'run_2'],
    ]);
    expect([wrong.status, wrong.json.error.code]).toEqual([400, -32020]);
    for (const method of ['tasks/list', 'tasks/result'])
      expect((await facade.modern(method, { _meta: meta(TASKS) })).json.error.code).toBe(-32601);
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update', 'tasks/list'])
      expect((await facade.legacy(method, { taskId: 'run_1' })).json.error.code).toBe(-32601);
  });
});
