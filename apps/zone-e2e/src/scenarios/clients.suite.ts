import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { connectClient, lease } from '../api.js';
import { REPO, type ZoneUnderTest } from '../zone-under-test.js';

const INSPECTOR = join(REPO, 'node_modules/.bin/mcp-inspector');

/** Runs the Inspector's command line as a person would; answers exit code and its JSON. */
function inspector(
  zone: ZoneUnderTest,
  bearer: string,
  args: string[],
): Promise<{ code: number | null; json: Record<string, never>; stderr: string }> {
  const home = mkdtempSync(join(tmpdir(), 'inspector-'));
  const argv = [
    '--cli',
    '--server-url',
    zone.connection().mcp_url,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${bearer}`,
    '--format',
    'json',
    '--quiet',
    '--stored-auth-only',
  ];
  const child = spawn(INSPECTOR, [...argv, ...args], { env: { PATH: process.env['PATH'], HOME: home } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((done) =>
    child.once('close', (code) =>
      done({ code, json: stdout ? (JSON.parse(stdout) as Record<string, never>) : {}, stderr }),
    ),
  );
}

/** Real clients with a URL and a bearer. */
export const clients = (zone: () => ZoneUnderTest) =>
  describe('clients', () => {
    test('SDK client v1 lists and calls', async () => {
      const { bearer } = await lease(zone(), 'InfraOpsRead');
      const client = new ClientV1({ name: 'v1', version: '1' });
      await client.connect(
        new TransportV1(new URL(zone().connection().mcp_url), {
          requestInit: { headers: { authorization: `Bearer ${bearer}` } },
        }) as never,
      );
      const { tools } = await client.listTools();
      expect(tools.map((t) => t.name)).toContain('hub_get_status');
      expect(tools.map((t) => t.name)).not.toContain('hub_restart_service');
      const result = await client.callTool({ name: 'hub_get_status', arguments: {} });
      expect(result.structuredContent).toMatchObject({ hub_id: 'demo' });
      expect(JSON.parse((result.content as { text: string }[])[0]!.text)).toEqual(result.structuredContent);
      await client.close();
    });

    test.each([
      ['legacy', false],
      ['2026-07-28', true],
    ])('SDK client v2 lists and calls in the %s era', async (_era, modern) => {
      const { bearer } = await lease(zone(), 'InfraOpsRead');
      const client = await connectClient(zone(), bearer, { modern });
      expect((await client.listTools()).tools).toHaveLength(9);
      const dotted = (await client.callTool({ name: 'hub.get_status', arguments: {} })) as {
        structuredContent: Record<string, unknown>;
      };
      expect(dotted.structuredContent).toMatchObject({ hub_id: 'demo' });
      const denied = (await client.callTool({ name: 'hub_get_logs', arguments: { tail: '5' } })) as {
        isError: boolean;
        content: { text: string }[];
      };
      expect([denied.isError, JSON.parse(denied.content[0]!.text)]).toMatchObject([
        true,
        { code: 'invalid_argument' },
      ]);
      await client.close();
    });

    test.each(['legacy', 'modern'])('the Inspector lists and calls in the %s era', async (era) => {
      const { bearer } = await lease(zone(), 'InfraOpsRead');
      const list = await inspector(zone(), bearer, ['--method', 'tools/list', '--protocol-era', era]);
      expect([list.code, list.stderr]).toEqual([0, '']);
      const found = JSON.stringify(list.json);
      expect(found).toContain('hub_get_status');
      const call = await inspector(zone(), bearer, [
        '--method',
        'tools/call',
        '--tool-name',
        'hub_get_status',
        '--protocol-era',
        era,
      ]);
      expect(call.code).toBe(0);
      expect(JSON.stringify(call.json)).toContain('"hub_id":"demo"');
    });

    test('the Inspector says that a bad bearer is one', async () => {
      const answer = await inspector(zone(), `mcp_${'y'.repeat(43)}`, ['--method', 'tools/list']);
      expect(answer.code).toBe(3);
    });
  });
