import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CallRequest } from '@adaos/contracts';
import { BEARERS } from '../fixtures/router-double.js';
import {
  bearer,
  JSON_TYPE,
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

const V1 = '/v1/root/mcp';
const get = (path: string, headers: readonly Header[] = []) => facade.http(V1 + path, { headers });
const post = (path: string, body?: unknown, headers: readonly Header[] = []) =>
  facade.http(V1 + path, {
    method: 'POST',
    headers: [...(body === undefined ? [] : [JSON_TYPE]), ...headers],
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
const lastCall = (): CallRequest => facade.router.on('router_call').at(-1);
const lastRefusal = () => facade.router.on('router_refuse').at(-1);

describe('resources are tools', () => {
  const ECHO = (request: CallRequest) => ({ result: { echoed: request.arguments } });
  test.each([
    ['GET /foundation', undefined, 'adaos_dev.get_foundation', {}],
    [
      'GET /contracts?surface=operations&plane_id=infra_ops',
      undefined,
      'adaos_dev.list_contracts',
      { surface: 'operations', plane_id: 'infra_ops' },
    ],
    ['GET /contracts/hub.get_status', undefined, 'adaos_dev.get_contract', { tool_id: 'hub.get_status' }],
    [
      'GET /targets?environment=test&status=online&limit=5&cursor=c',
      undefined,
      'operations.list_managed_targets',
      { environment: 'test', status: 'online', limit: 5, cursor: 'c' },
    ],
    ['GET /targets/hub%3Ademo', undefined, 'operations.get_managed_target', { target_id: 'hub:demo' }],
    ['GET /targets/hub:demo', undefined, 'operations.get_managed_target', { target_id: 'hub:demo' }],
    [
      'POST /targets',
      { hub_id: 'demo', environment: 'test', subnet_id: 's' },
      'operations.register_target',
      { hub_id: 'demo', environment: 'test', subnet_id: 's' },
    ],
    [
      'POST /targets/hub:demo/skill',
      { state: 'enabled' },
      'operations.set_skill_state',
      { state: 'enabled', target_id: 'hub:demo' },
    ],
    [
      'POST /sessions',
      { target_id: 'hub:demo', capability_profile: 'InfraOpsRead', ttl_seconds: 60 },
      'hub.issue_mcp_session',
      { target_id: 'hub:demo', capability_profile: 'InfraOpsRead', ttl_seconds: 60 },
    ],
    [
      'GET /sessions?target_id=hub:demo&status=active&limit=2',
      undefined,
      'hub.list_mcp_sessions',
      { target_id: 'hub:demo', status: 'active', limit: 2 },
    ],
    [
      'POST /sessions/lse_1/revoke',
      { reason: 'lost' },
      'hub.revoke_mcp_session',
      { reason: 'lost', session_id: 'lse_1' },
    ],
    ['POST /sessions/lse_1/revoke', undefined, 'hub.revoke_mcp_session', { session_id: 'lse_1' }],
    [
      'GET /audit?event_type=auth.denied&limit=10',
      undefined,
      'operations.list_recent_events',
      { event_type: 'auth.denied', limit: 10 },
    ],
  ])('%s', async (line, body, tool_id, args) => {
    facade.router.answer(tool_id, ECHO);
    const [method, path = ''] = line.split(' ');
    const got = method === 'GET' ? await get(path) : await post(path, body);
    expect([lastCall().name, lastCall().arguments, lastCall().client.via]).toEqual([tool_id, args, 'rest']);
    expect(got.status).toBe(200);
    expect(got.json).toEqual({
      ok: true,
      request_id: 'req_double',
      trace_id: lastCall().trace_id,
      audit_event_id: expect.stringMatching(/^evt_/),
      echoed: args,
    });
  });

  test('a descriptor has its hash as ETag, and whoever has it gets 304 for a read that was decided all the same', async () => {
    facade.router.answer('adaos_dev.get_descriptor', () => ({
      result: { descriptor: { content_hash: 'abc' } },
    }));
    const path = '/v1/root/mcp/descriptors/plane_registry?level=rich';
    const first = await facade.http(path);
    expect([first.status, first.headers.etag, first.headers['cache-control'], first.headers.vary]).toEqual([
      200,
      'W/"abc"',
      'private, no-cache',
      'Authorization',
    ]);
    const calls = facade.router.on('router_call').length;
    for (const [tag, status] of [
      ['W/"abc"', 304],
      ['"abc"', 304],
      ['"x", W/"abc"', 304],
      ['"x"', 200],
    ] as const)
      expect([tag, (await facade.http(path, { headers: [['If-None-Match', tag]] })).status]).toEqual([
        tag,
        status,
      ]);
    expect(facade.router.on('router_call').length).toBe(calls + 4);
    expect(lastCall().arguments).toEqual({ level: 'rich', descriptor_id: 'plane_registry' });
    facade.router.answer('adaos_dev.get_descriptor', () => ({
      error: { code: 'tool_not_found', message: '' },
    }));
    expect((await facade.http(path, { headers: [['If-None-Match', 'W/"abc"']] })).status).toBe(404);
  });

  test('planes and profiles are parts of one result', async () => {
    facade.router.answer('adaos_dev.list_capability_classes', () => ({
      result: { planes: [{ p: 1 }], profiles: [{ q: 2 }], capabilities: [] },
    }));
    expect(Object.keys((await get('/planes')).json)).toEqual([
      'ok',
      'request_id',
      'trace_id',
      'audit_event_id',
      'planes',
    ]);
    expect((await get('/profiles')).json.profiles).toEqual([{ q: 2 }]);
  });

  test('one lease and one event come out of their lists; none is a 404 like a target that is not there', async () => {
    facade.router.answer('hub.list_mcp_sessions', ({ arguments: args }) => ({
      result: {
        sessions: (args as { session_id: string }).session_id === 'lse_1' ? [{ session_id: 'lse_1' }] : [],
      },
    }));
    facade.router.answer('operations.list_recent_events', () => ({
      result: { events: [{ event_id: 'evt_9' }] },
      audit_event_id: null,
    }));
    expect((await get('/sessions/lse_1?target_id=hub:demo')).json.session).toEqual({ session_id: 'lse_1' });
    expect(lastCall().arguments).toEqual({ session_id: 'lse_1', target_id: 'hub:demo' });
    const missing = await get('/sessions/lse_2');
    expect([missing.status, missing.json.error]).toEqual([
      404,
      { code: 'target_not_found', message: 'No such session.' },
    ]);
    expect((await get('/audit/evt_9')).json).toMatchObject({
      ok: true,
      audit_event_id: null,
      event: { event_id: 'evt_9' },
    });
    expect(lastCall().arguments).toEqual({ event_id: 'evt_9' });
  });
});

describe('refusals', () => {
  test.each([
    ['limit=ten', { path: '/limit', rule: 'type' }],
    ['limit=5.5', { path: '/limit', rule: 'type' }],
    ['limit=', { path: '/limit', rule: 'type' }],
    ['limit=99999999999999999', { path: '/limit', rule: 'type' }],
    ['limit=1&limit=2', { path: '/limit', rule: 'once' }],
  ])('query %s is refused by rule and recorded', async (query, details) => {
    const got = await get(`/targets?${query}`);
    expect([got.status, got.json.error.code, got.json.error.details]).toEqual([
      400,
      'invalid_argument',
      details,
    ]);
    expect(lastRefusal().details).toEqual(details);
  });

  test('a name the tool does not know is refused by router, like any client’s', async () => {
    for (const name of ['nope', '__proto__', 'constructor']) {
      const got = await get(`/targets?${name}=1`);
      expect([got.status, got.json.error.details.property]).toEqual([400, name]);
    }
  });

  test('a body without a Content-Type is 415, none at all is an empty one', async () => {
    const path = `${V1}/sessions/lse_1/revoke`;
    const untyped = await facade.http(path, { method: 'POST', body: '{"reason":"x"}' });
    expect([untyped.status, untyped.json.error.details]).toEqual([415, { rule: 'content_type' }]);
    for (const line of ['Content-Length: 0', 'Transfer-Encoding: chunked'].map(
      (text) => text.split(': ') as [string, string],
    )) {
      expect((await facade.http(path, { method: 'POST', headers: [line] })).status).toBe(200);
    }
  });

  test('an argument in the path and in the body is refused', async () => {
    const got = await post('/targets/hub:demo/skill', { state: 'enabled', target_id: 'hub:other' });
    expect([got.status, got.json.error.details]).toEqual([400, { path: '/target_id', rule: 'once' }]);
  });

  test.each([['[]'], ['"x"'], ['{'], ['{"a":1,"a":2}']])('body %s is refused', async (body) => {
    const got = await post('/targets', body);
    expect([got.status, got.json.error.code]).toEqual([400, 'invalid_argument']);
    expect((await post('/targets', body, [bearer('nobody')])).status).toBe(401);
  });

  test.each([
    ['target_offline', 503, '1'],
    ['rate_limited', 429, '3'],
    ['environment_forbidden', 403, undefined],
    ['tool_not_found', 404, undefined],
    ['approval_required', 409, undefined],
    ['zone_mismatch', 403, undefined],
    ['a_code_of_tomorrow', 500, undefined],
  ])('%s answers %d', async (code, status, retry_after) => {
    facade.router.answer('operations.list_managed_targets', () => ({
      error: { code, message: 'No.', details: { retry_after_ms: 2_100 } },
      audit_event_id: 'evt_1',
    }));
    const got = await get('/targets');
    expect([got.status, got.headers['retry-after']]).toEqual([
      status,
      code === 'target_offline' ? '3' : retry_after,
    ]);
    expect(got.json).toEqual({
      ok: false,
      error: { code, message: 'No.', details: { retry_after_ms: 2_100 } },
      request_id: 'req_double',
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      audit_event_id: 'evt_1',
    });
  });

  test('no bearer and a bad one get 401 with the challenge of lease mode', async () => {
    const none = await get('/targets', [NO_AUTH]);
    expect([none.status, none.headers['www-authenticate'], none.json.error.code]).toEqual([
      401,
      'Bearer realm="root-mcp"',
      'unauthenticated',
    ]);
    const expired = await get('/targets', [bearer(BEARERS.expired)]);
    expect(expired.headers['www-authenticate']).toContain(
      'error="invalid_token", error_description="The lease has expired',
    );
    expect(expired.json.error.code).toBe('lease_expired');
    expect((await get(`/targets?access_token=${BEARERS.good}`)).status).toBe(401);
  });

  test('a scope header that is no short token', async () => {
    const got = await get('/targets', [['X-AdaOS-Subnet-Id', 'a/b']]);
    expect([got.status, lastRefusal().details]).toEqual([400, { rule: 'header' }]);
  });

  test('another method on a known path, an unknown path, a path that does not decode: JSON', async () => {
    const wrong = await facade.http(`${V1}/targets`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.allow, wrong.json.ok]).toEqual([405, 'GET, HEAD, POST', false]);
    for (const [path, status] of [
      [`${V1}/nope`, 404],
      [`${V1}/targets/%E0%A4%A`, 400],
      ['/console', 404],
      ['/V1/root/mcp', 404],
      [`${V1}/Targets`, 404],
    ] as const) {
      const got = await facade.http(path);
      expect([path, got.status, got.headers['content-type']]).toEqual([path, status, 'application/json']);
    }
  });
});
