import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { AUTH, JSON_TYPE, startFacade, type FacadeUnderTest, type Header } from './fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const MCP = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hub_get_status' } };
const REST = { tool_id: 'hub.get_status' };
const post = (path: string, headers: readonly Header[], body: string | Buffer) =>
  facade.http(path, { method: 'POST', headers: [AUTH, ...headers], body });
const PATHS: [string, string][] = [
  ['/v1/root/mcp', JSON.stringify(MCP)],
  ['/v1/root/mcp/call', JSON.stringify(REST)],
];
const calls = () => facade.router.on('router_call').length;

describe.each(PATHS)('%s', (path, body) => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
  ])('%s is read', async (type) => {
    expect((await post(path, [['Content-Type', type]], body)).status).toBe(200);
  });

  test.each([
    'text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; boundary=x',
    'application/json;',
    'application/json, text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'multipart/form-data; boundary=application/json',
  ])('%s is 415, recorded, and nothing runs', async (type) => {
    const before = calls();
    const got = await post(path, [['Content-Type', type]], body);
    expect([got.status, got.headers['content-type']]).toEqual([415, 'application/json']);
    expect(facade.router.on('router_refuse').at(-1).details).toEqual({ rule: 'content_type' });
    expect(calls()).toBe(before);
  });

  test('two types are none', async () => {
    expect((await post(path, [JSON_TYPE, ['Content-Type', 'text/plain']], body)).status).toBe(415);
  });

  test.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x-unknown'])(
    'Content-Encoding %s is 415',
    async (encoding) => {
      const before = calls();
      const got = await post(path, [JSON_TYPE, ['Content-Encoding', encoding]], gzipSync(body));
      expect(got.status).toBe(415);
      expect(facade.router.on('router_refuse').at(-1).details).toEqual({ rule: 'content_encoding' });
      expect(calls()).toBe(before);
    },
  );

  test('Content-Encoding identity is none', async () => {
    expect((await post(path, [JSON_TYPE, ['Content-Encoding', 'identity']], body)).status).toBe(200);
  });

  test.each([
    ['a byte order mark', Buffer.from(`\ufeff${body}`)],
    ['UTF-16', Buffer.from(body, 'utf16le')],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from(body.slice(0, -1)), Buffer.from([0xc0, 0xaf]), Buffer.from('}')]),
    ],
    ['half a surrogate pair', Buffer.from(body.replace('}', ',"x":"\\ud800"}'))],
  ])('%s is 400', async (_, bytes) => {
    const before = calls();
    expect((await post(path, [JSON_TYPE], bytes)).status).toBe(400);
    expect(calls()).toBe(before);
  });
});

test('a trace id of zeros starts a new trace', async () => {
  const zeros = '0'.repeat(32);
  await facade.http('/v1/root/mcp/targets', {
    headers: [['traceparent', `00-${zeros}-${'b'.repeat(16)}-01`]],
  });
  expect(facade.router.on('router_call').at(-1).trace_id).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  const named = await post('/v1/root/mcp/call', [JSON_TYPE], JSON.stringify({ ...REST, trace_id: zeros }));
  expect(named.status).toBe(400);
});
