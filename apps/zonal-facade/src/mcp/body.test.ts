import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { JSON_TYPE, startFacade, type FacadeUnderTest } from '../fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const last = (subject: Parameters<FacadeUnderTest['router']['on']>[0]) => facade.router.on(subject).at(-1);

describe('the body', () => {
  test.each([
    ['no JSON', '{"jsonrpc":', 'json', -32700],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'utf-8', -32700],
    ['a key twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 'duplicate_key', -32600],
    [
      'a prototype',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"lines":5,"__proto__":{"path":"/etc"}}}}',
      'prototype',
      -32602,
    ],
    ['20,000 nested arrays', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'depth', -32602],
    [
      'an integer beyond 2^53',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"n":9007199254740993}}}',
      'integer',
      -32600,
    ],
  ])('%s is refused by the one parser and recorded', async (_, body, rule, code) => {
    const got = await facade.http('/v1/root/mcp', { method: 'POST', headers: [JSON_TYPE], body });
    expect([got.status, got.json.id, got.json.error.code]).toEqual([400, null, code]);
    expect(got.json.error.data.details.rule).toBe(rule);
    expect(last('router_refuse').details.rule).toBe(rule);
  });

  test.each(['"x"', '5', 'null', '{}', '{"id":1}', '{"jsonrpc":"1.0","id":1,"method":"ping"}'])(
    '%s is no JSON-RPC message',
    async (body) => {
      const got = await facade.mcp(body);
      expect([got.status, got.json.error.code]).toEqual([400, -32600]);
    },
  );

  test('another Content-Type is 415', async () => {
    expect((await facade.mcp(LIST, [['Content-Type', 'text/plain']])).status).toBe(415);
    expect((await facade.mcp(LIST, [['Content-Type', 'application/json; charset=utf-8']])).status).toBe(200);
  });

  test('a scope header that is no short token is refused, a good one travels on', async () => {
    expect((await facade.mcp(LIST, [['X-AdaOS-Zone', 'a b']])).status).toBe(400);
    expect(last('router_refuse')).toMatchObject({ zone: null, details: { rule: 'header' } });
    expect(
      (
        await facade.mcp(LIST, [
          ['X-AdaOS-Zone', 'zone-a'],
          ['X-AdaOS-Subnet-Id', 'subnet-a'],
        ])
      ).status,
    ).toBe(200);
    expect(last('router_list_tools')).toMatchObject({ zone: 'zone-a', subnet_id: 'subnet-a' });
  });

  test('a zone that does not match is an error in the band, never 403', async () => {
    const zone = ['X-AdaOS-Zone', 'zone-b'] as const;
    const listed = await facade.mcp(LIST, [zone]);
    expect([listed.status, listed.json.error.code]).toEqual([200, 1007]);
    expect(Object.keys(listed.json.error.data).sort()).toEqual([
      'audit_event_id',
      'code',
      'request_id',
      'trace_id',
    ]);
    const pinged = await facade.mcp({ jsonrpc: '2.0', id: 1, method: 'ping' }, [zone]);
    expect([pinged.status, pinged.json.error.code]).toEqual([200, 1007]);
    const called = await facade.legacy('tools/call', { name: 'hub_get_status' }, 1, [zone]);
    expect(called.json.result.isError).toBe(true);
    expect((await facade.http('/v1/root/mcp', { headers: [zone] })).status).toBe(405);
  });
});
