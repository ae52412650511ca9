import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { PROFILES } from '@adaos/contracts';
import { lease } from '../api.js';
import { desk, runClient, type Desk } from '../clients/client-process.js';
import { given, listed, revoke, REVOKED } from '../clients/given.js';
import { expectRecorded, rowOf } from '../clients/matrix.js';
import { recordWire, type Wire } from '../clients/wire.js';
import { REPO, type ZoneUnderTest } from '../zone-under-test.js';

const INSPECTOR = join(REPO, 'node_modules/.bin/mcp-inspector');
const installed = (name: string): unknown =>
  (JSON.parse(readFileSync(join(REPO, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
    .version;
const NOBODY = `mcp_${'y'.repeat(43)}`;

/** The two generations of the official client, in each way they can agree on a revision. */
const SDK = {
  'sdk-v1': {
    'as it comes': async (url: URL, headers: Record<string, string>) => {
      const client = new ClientV1({ name: 'v1', version: '1' });
      await client.connect(new TransportV1(url, { requestInit: { headers } }) as never);
      return client as unknown as Client;
    },
  },
  'sdk-v2': Object.fromEntries(
    (['legacy', 'auto', { pin: '2026-07-28' }] as const).map((mode) => [
      typeof mode === 'string' ? mode : 'pinned',
      async (url: URL, headers: Record<string, string>) => {
        const client = new Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
        await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
        return client;
      },
    ]),
  ),
};
const WAYS = Object.entries(SDK).flatMap(([sdk, ways]) =>
  Object.entries(ways).map(([way, connect]) => [sdk, way, connect] as const),
);

/** Official clients with a URL and a bearer. */
export const clients = (zone: () => ZoneUnderTest): void =>
  describe('clients', () => {
    let wire: Wire;
    beforeEach(async () => {
      wire = await recordWire(zone().connection());
    });
    afterEach(() => wire.stop());

    test.each([
      ['sdk-v1', '@modelcontextprotocol/sdk'],
      ['sdk-v2', '@modelcontextprotocol/client'],
      ['inspector', '@modelcontextprotocol/inspector'],
    ])('%s is the version of the matrix', (client, name) => {
      expect([name, installed(name)]).toEqual([name, rowOf(client).version]);
    });

    test.each(WAYS)('%s, %s: lists what the lease allows, calls, is refused', async (sdk, way, connect) => {
      const { bearer } = await lease(zone(), 'InfraOpsRead');
      const client = await connect(new URL(wire.mcp_url), { authorization: `Bearer ${bearer}` });
      try {
        const names = (await client.listTools()).tools.map((tool) => tool.name);
        expect(names).toEqual((await listed(zone(), bearer)).map((tool) => tool.name));
        expect([names.includes('hub_get_status'), names.includes('hub_restart_service')]).toEqual([
          true,
          false,
        ]);
        const result = await client.callTool({ name: 'hub_get_status', arguments: {} });
        expect(result.structuredContent).toMatchObject({ hub_id: 'demo' });
        const [block, ...more] = result.content as { type: string; text: string }[];
        expect([block, more]).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }, []]);
        const dotted = await client.callTool({ name: 'hub.get_status', arguments: {} });
        expect(dotted.structuredContent).toMatchObject({ hub_id: 'demo' });
        const refused = await client.callTool({ name: 'hub_get_logs', arguments: { tail: 5_000 } });
        expect([refused.isError, refused.structuredContent]).toEqual([true, undefined]);
        expect(JSON.parse((refused.content as { text: string }[])[0]!.text)).toMatchObject({
          code: 'invalid_argument',
        });
        await expect(client.callTool({ name: 'hub_restart_service', arguments: {} })).rejects.toThrow(
          'Unknown tool',
        );
      } finally {
        await client.close();
      }
      expectRecorded(sdk, way, wire);
    });

    describe('Inspector', () => {
      let at: Desk;
      beforeEach(() => {
        at = desk();
      });
      afterEach(() => at.clear());

      /** Its command line as a person or a pipeline would use it. */
      async function inspector(bearer: string, args: string[], env: Record<string, string> = {}) {
        const server = ['--server-url', wire.mcp_url, '--transport', 'http'];
        const auth = ['--header', `Authorization: Bearer ${bearer}`, '--stored-auth-only'];
        const argv = ['--cli', ...server, ...auth, '--format', 'json', '--quiet', ...args];
        return runClient(INSPECTOR, argv, { desk: at, env, path: process.env['PATH']! });
      }
      const json = (text: string) => JSON.parse(text) as Record<string, any>;

      test.each(['legacy', 'auto', 'modern'])('lists and calls, era %s', async (era) => {
        const { bearer } = await lease(zone(), 'InfraOpsRead');
        const list = await inspector(bearer, ['--method', 'tools/list', '--strict', '--protocol-era', era]);
        // `--strict` reports every schema that some client may not take.
        expect([list.code, list.stderr]).toEqual([0, '']);
        expect(json(list.stdout)['result'].tools.map((tool: { name: string }) => tool.name)).toEqual(
          (await listed(zone(), bearer)).map((tool) => tool.name),
        );
        const call = ['--method', 'tools/call', '--protocol-era', era, '--tool-name'];
        const status = await inspector(bearer, [...call, 'hub_get_status']);
        expect([status.code, json(status.stdout)['result'].structuredContent]).toMatchObject([
          0,
          { hub_id: 'demo' },
        ]);
        const refused = await inspector(bearer, [
          ...call,
          'hub_get_logs',
          '--tool-args-json',
          '{"tail":5000}',
        ]);
        expect([refused.code, refused.stdout]).toEqual([5, expect.stringContaining('invalid_argument')]);
        expect((await inspector(bearer, [...call, 'hub_restart_service'])).code).toBe(5);
        expectRecorded('inspector', era, wire);
      });

      test('every profile lists without a finding', async () => {
        for (const profile of Object.keys(PROFILES)) {
          const { bearer } = await lease(zone(), profile);
          const list = await inspector(bearer, ['--method', 'tools/list', '--strict']);
          expect([profile, list.code, list.stderr]).toEqual([profile, 0, '']);
        }
      }, 120_000);

      test('says that a bad bearer is one, and in our words that a lease was revoked', async () => {
        const unknown = await inspector(NOBODY, ['--method', 'tools/list']);
        expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('auth_required')]);
        const { bearer, session } = await lease(zone(), 'InfraOpsRead');
        await revoke(zone(), session);
        const revoked = await inspector(bearer, ['--method', 'tools/list']);
        expect([revoked.code, revoked.stderr]).toEqual([3, expect.stringContaining(REVOKED)]);
        expectRecorded('inspector', 'revoked', wire);
      });

      test('runs the generated command line as it stands', async () => {
        const { bearer, config } = await given(zone(), 'inspector');
        const run = await runClient('/bin/sh', ['-c', config.text], {
          desk: at,
          // Inside the checkout npx finds the installed one; offline, it may not look further.
          cwd: REPO,
          env: { ADAOS_ROOT_MCP_AUTH: bearer, npm_config_offline: 'true' },
          path: process.env['PATH']!,
        });
        expect([run.code, json(run.stdout)['result'].tools.length]).toEqual([
          0,
          (await listed(zone(), bearer)).length,
        ]);
      });

      test('loads the file we generate for Claude Code, with the bearer in place of the variable', async () => {
        const { bearer, config, server_name } = await given(zone(), 'claude-code');
        // It reads the same file, but expands no variables.
        const path = at.write('mcp.json', config.text.replace('${ADAOS_ROOT_MCP_AUTH}', bearer));
        const file = ['--config', path, '--server', server_name];
        const argv = ['--cli', ...file, '--method', 'tools/list', '--format', 'json', '--quiet'];
        const run = await runClient(INSPECTOR, argv, { desk: at, path: process.env['PATH']! });
        expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('"hub_get_status"')]);
      });
    });
  });
