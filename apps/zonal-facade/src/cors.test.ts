import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NO_AUTH, startFacade, type FacadeUnderTest, type Header } from './fixtures/facade.js';

const PAGE = 'https://inspector.example';
let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade({ config: { ALLOWED_ORIGINS: PAGE } });
});
afterAll(() => facade.stop());

const preflight = (origin: string, path = '/v1/root/mcp', more: readonly Header[] = []) =>
  facade.http(path, {
    method: 'OPTIONS',
    headers: [
      NO_AUTH,
      ['Origin', origin],
      ['Access-Control-Request-Method', 'POST'],
      ['Access-Control-Request-Headers', 'authorization, content-type, mcp-protocol-version'],
      ...more,
    ],
  });

describe('CORS', () => {
  test.each(['/v1/root/mcp', '/v1/root/mcp/call', '/v1/root/mcp/targets'])(
    '%s: a preflight of an allowed origin is answered without a bearer',
    async (path) => {
      const heard = facade.router.heard.length;
      const got = await preflight(PAGE, path);
      expect([got.status, got.text]).toEqual([204, '']);
      expect(got.headers).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': 'GET,HEAD,POST',
        'access-control-max-age': '600',
        vary: 'Origin',
      });
      const allowed = got.headers['access-control-allow-headers']!.toLowerCase().split(',');
      for (const name of ['authorization', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'])
        expect(allowed).toContain(name);
      expect(facade.router.heard).toHaveLength(heard);
    },
  );

  test('a foreign origin gets nothing of it', async () => {
    for (const origin of ['https://evil.example', 'null', `${PAGE}.evil.example`]) {
      const got = await preflight(origin);
      expect([origin, got.status, got.headers['access-control-allow-origin']]).toEqual([
        origin,
        403,
        undefined,
      ]);
    }
  });

  test('an answer can be read by the page, with what it needs to sign in or wait', async () => {
    const got = await facade.http('/v1/root/mcp', { headers: [NO_AUTH, ['Origin', PAGE]] });
    expect(got.status).toBe(401);
    expect(got.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers': 'WWW-Authenticate,Retry-After,ETag',
      vary: 'Origin',
    });
    expect(got.headers['www-authenticate']).toMatch(/^Bearer /);
  });

  test('no answer ever allows everybody or credentials of a browser', async () => {
    for (const got of [
      await preflight(PAGE),
      await facade.http('/healthz', { headers: [['Origin', PAGE]] }),
    ]) {
      expect(got.headers['access-control-allow-origin']).toBe(PAGE);
      expect(got.headers).not.toHaveProperty('access-control-allow-credentials');
    }
    const program = await facade.http('/healthz');
    expect(Object.keys(program.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('an OPTIONS that is no preflight is a method like any other', async () => {
    const got = await facade.http('/v1/root/mcp', { method: 'OPTIONS', headers: [['Origin', PAGE]] });
    expect([got.status, got.headers.allow]).toEqual([405, 'POST']);
    expect((await facade.http('/v1/root/mcp', { method: 'OPTIONS', headers: [NO_AUTH] })).status).toBe(401);
  });
});
