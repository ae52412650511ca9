import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { JSON_TYPE, AUTH, startFacade, type FacadeUnderTest } from './fixtures/facade.js';
import { send } from './fixtures/http.js';
import { until } from './fixtures/until.js';

describe('bodies and headers', () => {
  let facade: FacadeUnderTest;
  beforeAll(async () => {
    facade = await startFacade({
      bounds: { body_timeout_ms: 60, body_bytes: 10_000, discard_bytes: 100_000 },
    });
  });
  afterAll(() => facade.stop());
  const paths = ['/v1/root/mcp', '/v1/root/mcp/call'];

  test.each(paths)('%s: a body over the limit is 413, declared or streamed', async (path) => {
    const body = `{"a":"${'x'.repeat(10_000)}"}`;
    for (const length of [[], [['Transfer-Encoding', 'chunked'] as const]]) {
      const got = await facade.http(path, { method: 'POST', headers: [JSON_TYPE, ...length], body });
      expect([got.status, got.headers.connection]).toEqual([413, 'close']);
      expect(facade.router.on('router_refuse').at(-1)).toMatchObject({
        code: 'result_too_large',
        details: { rule: 'body_bytes', limit: 10_000 },
      });
    }
  });

  test('a body at the limit is read', async () => {
    const frame = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":""}}';
    const body = frame.replace('""', `"${'x'.repeat(10_000 - frame.length)}"`);
    expect(Buffer.byteLength(body)).toBe(10_000);
    expect((await facade.mcp(body)).status).toBe(200);
    expect((await facade.mcp(body.replace('"x', '"xx'))).status).toBe(413);
  });

  test('a declared length that no discarding could swallow is refused unread', async () => {
    const answer = await raw(facade, [`Content-Length: 2000000`]);
    expect(answer).toContain('HTTP/1.1 413 ');
  });

  test.each(paths)('%s: a body that does not come is 408', async (path) => {
    const answer = await raw(facade, ['Content-Length: 100'], path);
    expect(answer).toContain('HTTP/1.1 408 ');
    expect(answer).toContain('connection: close');
    expect(facade.router.on('router_refuse').at(-1).details).toEqual({ rule: 'body_timeout' });
  });

  test('a long target is 414, too many headers are 431, both JSON', async () => {
    const long = await facade.http(`/v1/root/mcp/targets?cursor=${'x'.repeat(5_000)}`);
    expect([long.status, long.json.ok]).toEqual([414, false]);
    const headers = Array.from({ length: 2_500 }, (_, i) => [`X-Pad-${i}`, '1'] as const);
    const many = await facade.http('/healthz', { headers });
    expect([many.status, many.json.ok]).toEqual([431, false]);
    const wide = await facade.http('/healthz', { headers: [['X-Pad', 'x'.repeat(140_000)]] });
    expect([wide.status, wide.json.ok]).toEqual([431, false]);
  });

  test('bytes that are no HTTP, and an absolute target, get a JSON 400', async () => {
    expect(await rawText(facade, 'NONSENSE\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 .*application\/json.*"ok":false/s,
    );
    const host = new URL(facade.urls.root_url).host;
    const absolute = `GET http://evil.example/v1/root/mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect(await rawText(facade, absolute)).toMatch(/^HTTP\/1\.1 400 .*The request target must be a path/s);
  });
});

describe('requests at once', () => {
  let facade: FacadeUnderTest | undefined;
  afterEach(() => facade?.stop());

  test('one over the limit is told 503, probes still answer', async () => {
    facade = await startFacade({ bounds: { in_flight: 2 } });
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    facade.router.answer('hub.get_status', async () => (await held, { result: {} }));
    const slow = [1, 2].map((id) => facade!.legacy('tools/call', { name: 'hub_get_status' }, id));
    await facade.router.until('router_call', 2);
    for (const path of ['/v1/root/mcp', '/v1/root/mcp/targets']) {
      const got = await facade.http(path);
      expect([got.status, got.headers['retry-after'], got.json.error.code]).toEqual([
        503,
        '1',
        'dependency_unavailable',
      ]);
    }
    expect((await facade.http('/healthz')).status).toBe(200);
    release();
    expect((await Promise.all(slow)).map((got) => got.status)).toEqual([200, 200]);
    await until(async () => (await facade!.http('/v1/root/mcp/targets')).status === 200);
  });

  test('router silent past its bound is 503', async () => {
    facade = await startFacade({ bounds: { call_timeout_ms: 50, ask_timeout_ms: 50 } });
    facade.router.answer('hub.get_status', () => new Promise(() => undefined));
    const got = await facade.legacy('tools/call', { name: 'hub_get_status' });
    expect([got.status, got.json.error.code, got.json.error.data.code]).toEqual([
      503,
      1033,
      'dependency_unavailable',
    ]);
  });
});

const raw = (facade: FacadeUnderTest, headers: readonly string[], path = '/v1/root/mcp') => {
  const host = new URL(facade.urls.root_url).host;
  const lines = [`POST ${path} HTTP/1.1`, `Host: ${host}`, JSON_TYPE.join(': '), AUTH.join(': '), ...headers];
  return rawText(facade, `${lines.join('\r\n')}\r\n\r\n{`);
};

/** What comes back on a socket until the server closes it. */
function rawText(facade: FacadeUnderTest, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(facade.urls.root_url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(text);
  });
}

test('a request without a Host line is 403', async () => {
  const facade = await startFacade();
  try {
    expect(await rawText(facade, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 .*"forbidden"/s);
    expect((await send(`${facade.urls.root_url}/healthz`)).status).toBe(200);
  } finally {
    await facade.stop();
  }
});
