import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sha256, TOOL_CONTRACTS, type ExecRequest } from '@adaos/contracts';
import { knock, mcpRequest, openDoor, type Door, type Sent } from './door.js';
import { OPERATOR, startSpine, succeeded, type Spine } from './spine.js';

/** What went wrong elsewhere (docs/04-security.md, "Advisories of others"), tried here. */
describe('advisories', () => {
  let spine: Spine;
  let door: Door;
  let ran: { hub_id: string; request: ExecRequest }[] = [];
  let narrow: Lease;
  let wide: Lease;
  let foreign: Lease;

  interface Lease {
    bearer: string;
    session_id: string;
    target_id: string;
  }

  beforeAll(async () => {
    spine = await startSpine();
    await spine.startRecord();
    door = await openDoor(spine);
    for (const hub_id of ['mine', 'theirs']) {
      const target_id = `hub:${hub_id}`;
      await spine.operator('operations.register_target', {
        hub_id,
        environment: 'test',
        subnet_id: `net-${hub_id}`,
        policy: {
          write_scope: 'test-only',
          allowed_services: ['web'],
          allowed_capabilities: ['hub.get_status', 'hub.restart_service'],
        },
      });
      await spine.operator('operations.set_skill_state', { target_id, state: 'enabled' });
      const hub = await spine.hub(hub_id, async (request) => {
        ran.push({ hub_id, request });
        return succeeded({ hub_id, tool_id: request.tool_id });
      });
      await hub.report();
    }
    narrow = await lease('hub:mine', 'InfraOpsRead');
    wide = await lease('hub:mine', 'InfraOpsControl');
    foreign = await lease('hub:theirs', 'InfraOpsControl');
  }, 60_000);
  afterAll(async () => {
    await door.stop();
    await spine.stop();
  }, 30_000);
  beforeEach(() => void (ran = []));

  async function lease(target_id: string, capability_profile: string): Promise<Lease> {
    const { result } = await spine.operator('hub.issue_mcp_session', { target_id, capability_profile });
    const { bearer, session } = result as { bearer: string; session: { session_id: string } };
    return { bearer, session_id: session.session_id, target_id };
  }
  const ask = (sent: Sent) => knock(door.urls[0]!, sent);
  const restart = mcpRequest('legacy', 'tools/call', {
    name: 'hub_restart_service',
    arguments: { service: 'web' },
  });
  const status = mcpRequest('legacy', 'tools/call', { name: 'hub_get_status', arguments: {} });
  const post = (body: string): Sent => ({ ...status, body });
  const said = (text: string) => text.replace(/(evt|req)_[0-9A-Z]{26}|\b[0-9a-f]{32}\b/g, '<id>');

  test.each(['initialize', 'tools/list'])(
    'no session id is given out that could be replayed: %s',
    async (method) => {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'e2e', version: '1' },
      };
      const { headers } = await ask({ ...mcpRequest('legacy', method, params), bearer: wide.bearer });
      expect(headers['mcp-session-id']).toBeUndefined();
    },
  );

  test.each([
    ['the id of a stronger lease', () => wide.session_id],
    ['its bearer', () => wide.bearer],
    ['the id of another tenant', () => foreign.session_id],
    ['anything', () => 'f'.repeat(32)],
  ])('Mcp-Session-Id opens nothing and changes nothing: %s', async (_what, id) => {
    const headers = { ...status.headers, 'mcp-session-id': id() };
    expect((await ask({ ...status, headers })).status).toBe(401);
    for (const sent of [restart, status]) {
      const plain = await ask({ ...sent, bearer: narrow.bearer });
      const replayed = await ask({ ...sent, headers, bearer: narrow.bearer });
      expect([replayed.status, said(replayed.text)]).toEqual([plain.status, said(plain.text)]);
    }
    expect(new Set(ran.map(({ hub_id, request }) => `${hub_id} ${request.tool_id}`))).toEqual(
      new Set(['mine hub.get_status']),
    );
  });

  test.each([
    ['/v1/root/mcp/theirs', {}],
    ['/v1/root/mcp/hub:theirs/mcp', {}],
    ['/v1/root/mcp/adapters/theirs/mcp', {}],
    ['/v1/root/mcp?target_id=hub:theirs', {}],
    ['/v1/root/mcp?subnet_id=net-theirs', {}],
    ['/v1/root/mcp', { 'x-adaos-target-id': 'hub:theirs' }],
    ['/v1/root/mcp', { 'x-forwarded-host': 'theirs', forwarded: 'host=theirs' }],
    ['/v1/root/mcp', { 'x-original-url': '/v1/root/mcp/hub:theirs' }],
    ['/v1/root/mcp', { 'x-adaos-subnet-id': 'net-theirs' }],
  ])('no path, query or header leads to another target: %s %j', async (path, headers) => {
    const { text } = await ask({
      ...restart,
      path,
      headers: { ...restart.headers, ...headers },
      bearer: wide.bearer,
    });
    expect(text).not.toContain('"hub_id":"theirs"');
    expect(ran.map(({ hub_id }) => hub_id)).not.toContain('theirs');
  });

  test('nothing in the message leads there either', async () => {
    for (const more of [
      { target_id: 'hub:theirs' },
      { _meta: { target_id: 'hub:theirs', 'io.adaos/target_id': 'hub:theirs' } },
      { server: 'theirs', session_id: foreign.session_id },
    ])
      await ask({
        ...mcpRequest('legacy', 'tools/call', { name: 'hub_get_status', arguments: {}, ...more }),
        bearer: narrow.bearer,
      });
    expect(new Set(ran.map(({ hub_id }) => hub_id))).toEqual(new Set(['mine']));
    expect(ran.every(({ request }) => request.lease_id === narrow.session_id)).toBe(true);
  });

  test('no id, digest or part of a lease is a bearer', async () => {
    const { bearer, session_id } = wide;
    const forged = [
      session_id,
      `mcp_${session_id}`,
      `mcp_${session_id.slice(4).padEnd(43, 'A')}`,
      sha256(bearer),
      `mcp_${sha256(bearer).slice(0, 43)}`,
      bearer.toUpperCase(),
      bearer.toLowerCase(),
      bearer.slice(4),
      bearer.slice(0, -1),
      `${bearer}A`,
      `adm_${bearer.slice(4)}`,
      `mcp_${'A'.repeat(43)}`,
    ].filter((token) => token !== bearer);
    const answers = await Promise.all(forged.map((token) => ask({ ...status, bearer: token })));
    expect(new Set(answers.map(({ status: code }) => code))).toEqual(new Set([401]));
    expect(new Set(answers.map(({ text }) => said(text))).size).toBe(1);
    expect(ran).toEqual([]);
  });

  const RESTART = '"hub_restart_service"';
  const STATUS = '"hub_get_status"';
  const SERVICE = '"arguments":{"service":"web"}';
  test.each([
    [
      'Name beside name',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${STATUS},"Name":${RESTART}}}`,
    ],
    [
      'Name before name',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":${RESTART},"name":${STATUS}}}`,
    ],
    ['Name alone', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":${RESTART},${SERVICE}}}`],
    [
      'name twice, once escaped',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${STATUS},"n\\u0061me":${RESTART}}}`,
    ],
    [
      'Params beside params',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${STATUS}},"Params":{"name":${RESTART},${SERVICE}}}`,
    ],
    [
      'Params alone',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{"name":${RESTART},${SERVICE}}}`,
    ],
    [
      'params twice, once escaped',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${STATUS}},"p\\u0061rams":{"name":${RESTART}}}`,
    ],
    [
      'Method beside method',
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call","params":{"name":${RESTART},${SERVICE}}}`,
    ],
    [
      'Method alone',
      `{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":${RESTART},${SERVICE}}}`,
    ],
    [
      'a method in capitals',
      `{"jsonrpc":"2.0","id":1,"method":"TOOLS/CALL","params":{"name":${RESTART},${SERVICE}}}`,
    ],
    [
      'Arguments beside arguments',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${RESTART},"arguments":{},"Arguments":{"service":"web"}}}`,
    ],
    [
      'an argument in two spellings',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${RESTART},"arguments":{"service":"web","Service":"web"}}}`,
    ],
    [
      'a dry run spelt otherwise',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${RESTART},"arguments":{"service":"web","Dry_Run":true}}}`,
    ],
    ...[
      'Hub_Restart_Service',
      'HUB.RESTART_SERVICE',
      'hub_restart_service ',
      ' hub_restart_service',
      'hub__restart_service',
      'hub-restart-service',
      'hub_restart_service\\u0000',
      'hub\\u005frestart_service\\u200b',
      'ｈub_restart_service',
      '../hub_restart_service',
    ].map((name): [string, string] => [
      `the name ${name}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}",${SERVICE}}}`,
    ]),
  ])('what is judged is what runs, however it is spelt: %s', async (_what, body) => {
    // The lease may restart: only the spelling stands in the way.
    const answer = await ask({ ...post(body), bearer: wide.bearer });
    expect(answer.status).toBeLessThan(500);
    expect(ran.map(({ request }) => request.tool_id).filter((tool) => tool !== 'hub.get_status')).toEqual([]);
    if (ran.length > 0) expect(answer.text).toContain('hub.get_status');
  });

  test('the plain spelling does run', async () => {
    await ask({ ...restart, bearer: wide.bearer });
    expect(ran.map(({ request }) => [request.tool_id, request.lease_id])).toEqual([
      ['hub.restart_service', wide.session_id],
    ]);
  });

  test('REST reads one spelling too', async () => {
    for (const body of [
      '{"tool_id":"hub.get_status","Tool_Id":"hub.restart_service","arguments":{"service":"web"}}',
      '{"Tool_Id":"hub.restart_service","arguments":{"service":"web"}}',
      '{"tool_id":"hub.get_status","tool\\u005fid":"hub.restart_service"}',
    ])
      expect((await ask({ ...post(body), path: '/v1/root/mcp/call', bearer: wide.bearer })).status).toBe(400);
    expect(ran).toEqual([]);
  });

  test('a facade that starts anew knows who asks now, not who asked before', async () => {
    const gone = await lease('hub:mine', 'InfraOpsControl');
    const list = mcpRequest('legacy', 'tools/list');
    const seenBy = async ({ urls }: Door) =>
      Promise.all(
        [narrow, wide, gone].map(async ({ bearer }) => {
          const { status: code, text } = await knock(urls[0]!, { ...list, bearer });
          return { code, tools: [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name) };
        }),
      );
    const before = await seenBy(door);
    expect(before.map(({ code }) => code)).toEqual([200, 200, 200]);
    expect(before.every(({ tools }) => tools.length > 0)).toBe(true);
    await spine.operator('hub.revoke_mcp_session', { session_id: gone.session_id });
    const anew = await openDoor(spine);
    try {
      const after = await seenBy(anew);
      expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
      expect(after[2]).toEqual({ code: 401, tools: [] });
      expect(await seenBy(door)).toEqual(after);
    } finally {
      await anew.stop();
    }
  });

  test('no argument of any tool is an address that root would call', () => {
    const addresses = TOOL_CONTRACTS.flatMap(({ tool_id, input_schema }) =>
      Object.entries((input_schema['properties'] ?? {}) as Record<string, { format?: string }>)
        .filter(
          ([name, { format }]) => format === 'uri' || /url|endpoint|webhook|callback|redirect/i.test(name),
        )
        .map(([name]) => `${tool_id} ${name}`),
    );
    expect(addresses).toEqual([]);
  });

  test('what a client is told to connect to is not what the request says it was', async () => {
    const path = `/v1/root/mcp/sessions/${wide.session_id}/client-config?client=codex`;
    const { text } = await ask({
      method: 'GET',
      path,
      bearer: OPERATOR,
      headers: {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      },
    });
    expect(text).toContain(door.urls[0]!.replace('http://', ''));
    expect(text).not.toContain('evil.example');
  });
});
