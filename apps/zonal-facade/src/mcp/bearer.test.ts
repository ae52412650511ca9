import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BEARERS } from '../fixtures/router-double.js';
import { AUTH, bearer, startFacade, type FacadeUnderTest, type Header } from '../fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('F32 bearers', () => {
  const REFUSED =
    'Bearer realm="root-mcp", error="invalid_token", error_description="A valid bearer is required."';
  const wrong: [string, Header[]][] = [
    ['empty', [['Authorization', 'Bearer ']]],
    ['one character', [bearer('x')]],
    ['é', [['Authorization', `Bearer ${BEARERS.good.slice(0, -1)}\u00e9`]]],
    ['two words', [bearer(`${BEARERS.good} x`)]],
    ['100 kB', [bearer('x'.repeat(100_000))]],
    ['another scheme', [['Authorization', 'Basic dTpw']]],
    ['two headers', [AUTH, bearer(BEARERS.other)]],
    ['the same header twice', [AUTH, AUTH]],
  ];
  test.each(wrong)('%s: the same 401', async (_, headers) => {
    const got = await facade.mcp(LIST, headers);
    expect([got.status, got.headers['www-authenticate']]).toEqual([401, REFUSED]);
    expect(got.json).toEqual({ error: 'invalid_token', error_description: 'A valid bearer is required.' });
  });

  test('what is too long for a bearer is not even hashed', async () => {
    await facade.mcp(LIST, [bearer('x'.repeat(8_193))]);
    expect(facade.router.on('router_list_tools').at(-1).bearer_digest).toBeNull();
    await facade.mcp(LIST, [bearer('x'.repeat(8_192))]);
    expect(facade.router.on('router_list_tools').at(-1).bearer_digest).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each(['access_token', 'ACCESS_TOKEN', 'token', '%74oken'])(
    'a token in the query (%s) is refused beside a good header',
    async (name) => {
      const got = await facade.mcp(LIST, [], `/v1/root/mcp?${name}=${BEARERS.good}`);
      expect([got.status, got.headers['www-authenticate']]).toEqual([401, REFUSED]);
    },
  );

  test.each(['bearer', 'BEARER', 'BeArEr'])('scheme %s is served', async (scheme) => {
    expect((await facade.mcp(LIST, [['Authorization', `${scheme} ${BEARERS.good}`]])).status).toBe(200);
  });

  test('an expired and a revoked lease say so, in the challenge and the body', async () => {
    for (const [token, message] of [
      [BEARERS.expired, 'The lease has expired; ask the operator for a new one.'],
      [BEARERS.revoked, 'The lease was revoked; ask the operator for a new one.'],
    ] as const) {
      for (const method of ['tools/list', 'tools/call', 'initialize', 'ping']) {
        const got = await facade.mcp({ jsonrpc: '2.0', id: 1, method, params: { name: 'hub.get_status' } }, [
          bearer(token),
        ]);
        expect([got.status, got.json.error_description]).toEqual([401, message]);
        expect(got.headers['www-authenticate']).toContain(`error_description="${message}"`);
      }
    }
  });

  test('a bad bearer outranks every other fault', async () => {
    const bad = bearer('nobody');
    expect((await facade.mcp('{', [bad])).status).toBe(401);
    expect((await facade.mcp({ jsonrpc: '2.0', method: 'notifications/initialized' }, [bad])).status).toBe(
      401,
    );
    expect((await facade.mcp([], [bad])).status).toBe(401);
    expect((await facade.mcp(LIST, [bad, ['Accept', 'text/html']])).status).toBe(401);
    expect((await facade.mcp(LIST, [bad, ['Content-Type', 'text/plain']])).status).toBe(401);
    expect((await facade.mcp(LIST, [bad, ['MCP-Protocol-Version', '1999-01-01']])).status).toBe(401);
  });

  test('only the digest goes on', () => {
    const all = JSON.stringify(facade.router.heard);
    for (const token of Object.values(BEARERS)) expect(all).not.toContain(token);
  });
});
