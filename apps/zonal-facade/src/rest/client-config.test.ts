import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BEARERS } from '../fixtures/router-double.js';
import { NO_AUTH, startFacade, type FacadeUnderTest, type Header } from '../fixtures/facade.js';

let facade: FacadeUnderTest;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade.stop());

const V1 = '/v1/root/mcp';
const get = (path: string, headers: readonly Header[] = []) => facade.http(V1 + path, { headers });
describe('client-config', () => {
  const path = (client: string) => `/sessions/lse_1/client-config?client=${client}`;
  beforeAll(() => {
    facade.router.answer('hub.list_mcp_sessions', ({ arguments: args }) => ({
      result: {
        sessions:
          (args as { session_id: string }).session_id === 'lse_1'
            ? [{ session_id: 'lse_1', target_id: 'hub:demo' }]
            : [],
      },
    }));
  });

  test.each(['codex', 'claude-code', 'vscode', 'cursor', 'inspector'])(
    '%s gets its text and no bearer',
    async (client) => {
      const got = await get(path(client));
      expect(got.json).toMatchObject({ ok: true, client });
      expect(got.json.text).toContain(facade.urls.mcp_url);
      expect(got.text).not.toContain(BEARERS.good);
    },
  );

  test('codex in full', async () => {
    expect((await get(path('codex'))).json.text).toBe(
      `[mcp_servers.adaos_demo]\nurl = "${facade.urls.mcp_url}"\nbearer_token_env_var = "ADAOS_ROOT_MCP_AUTH"\n`,
    );
  });

  test('an unknown client is refused, an unknown lease not found, a stranger unauthenticated', async () => {
    const unknown = await get(path('emacs'));
    expect([unknown.status, unknown.json.error.details]).toEqual([400, { path: '/client', rule: 'enum' }]);
    expect((await get('/sessions/lse_2/client-config?client=codex')).status).toBe(404);
    expect((await get(path('codex'), [NO_AUTH])).status).toBe(401);
  });
});
