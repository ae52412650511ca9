import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CallRequest } from '@adaos/contracts';
import { JSON_TYPE, startFacade, type FacadeUnderTest } from '../fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const send = (line: string, body?: unknown) => {
  const [method, path] = line.split(' ');
  return facade.http(`/v1/root/mcp${path}`, {
    method,
    headers: body === undefined ? [] : [JSON_TYPE],
    body: body === undefined ? undefined : JSON.stringify(body),
  });
};

test.each([
  [
    'GET /sessions?active_only=true&audience=codex',
    undefined,
    'hub.list_mcp_sessions',
    { active_only: true, audience: 'codex' },
  ],
  [
    'POST /sessions/lse_1/rotate',
    { overlap_seconds: 60 },
    'hub.rotate_mcp_session',
    { overlap_seconds: 60, session_id: 'lse_1' },
  ],
  ['POST /access-tokens/tok_1/revoke', undefined, 'hub.revoke_access_token', { token_id: 'tok_1' }],
  [
    'POST /operators/opr_1',
    { role: 'viewer', disabled: true },
    'zone.set_operator',
    { role: 'viewer', disabled: true, operator_id: 'opr_1' },
  ],
  [
    'POST /api-keys',
    { name: 'ci', role: 'operator' },
    'zone.create_api_key',
    { name: 'ci', role: 'operator' },
  ],
])('%s', async (line, body, tool_id, args) => {
  facade.router.answer(tool_id, () => ({ result: {} }));
  expect((await send(line, body)).status).toBe(200);
  const call: CallRequest = facade.router.on('router_call').at(-1);
  expect([call.name, call.arguments]).toEqual([tool_id, args]);
});

test('a flag in a query is true or false and nothing else', async () => {
  for (const text of ['1', 'yes', '', 'TRUE']) {
    const got = await send(`GET /sessions?active_only=${text}`);
    expect([got.status, got.json.error.details]).toEqual([400, { path: '/active_only', rule: 'type' }]);
  }
});

test('a token for a native client says where it opens, also where the service was not told', async () => {
  for (const root_url of [null, 'https://zone.example']) {
    facade.router.answer('hub.issue_access_token', () => ({ result: { root_url, access_token: 'x' } }));
    const { json } = await send('POST /access-tokens', { audience: 'a', capability_profile: 'SdkRead' });
    expect(json.root_url).toEqual(root_url ?? expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/));
  }
});
