import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { desk, runClient, type Desk } from '../clients/client-process.js';
import { codexServer, type CodexServer } from '../clients/codex-server.js';
import { binary, given, listed, revoke, REVOKED } from '../clients/given.js';
import { expectRecorded, rowOf } from '../clients/matrix.js';
import { RESPONSES, scriptedModel } from '../clients/scripted-model.js';
import { recordWire, type Wire } from '../clients/wire.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';

interface Status {
  readonly data: readonly {
    readonly name: string;
    readonly serverInfo: { readonly name: string } | null;
    readonly tools: Readonly<Record<string, Record<string, unknown>>>;
    readonly toolsError: string | null;
  }[];
}
interface Called {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** Codex itself, without an account, with the configuration that we generate. */
export const codex = (zone: () => ZoneUnderTest): void => {
  const bin = binary('CODEX_BIN');
  if (bin === null) return;

  describe('Codex', () => {
    let at: Desk;
    let wire: Wire;
    let server: CodexServer | undefined;
    beforeEach(async () => {
      at = desk();
      wire = await recordWire(zone().connection());
    });
    afterEach(async () => {
      await server?.stop();
      server = undefined;
      await wire.stop();
      at.clear();
    });

    const environment = (bearer: string, proxy_url: string): Record<string, string> => ({
      ADAOS_ROOT_MCP_AUTH: bearer,
      HTTP_PROXY: proxy_url,
      HTTPS_PROXY: proxy_url,
    });

    test('is the version of the matrix', async () => {
      const { stdout } = await runClient(bin, ['--version'], { desk: at });
      expect(stdout).toBe(`codex-cli ${rowOf('codex').version}\n`);
    });

    test.each([
      ['as it comes', 'connect', []],
      ['with its flag for 2026-07-28', 'connect, --enable mcp_2026_07_28', ['--enable', 'mcp_2026_07_28']],
    ])('loads the generated config.toml, lists and calls: %s', async (_, name, flags) => {
      const { bearer, config, server_name } = await given(zone(), 'codex');
      at.write(config.file!, config.text);
      // It would say so at start if it did not know a line of ours.
      server = await codexServer(bin, at, environment(bearer, wire.proxy_url), ['--strict-config', ...flags]);

      const { data } = await server.ask<Status>('mcpServerStatus/list', {});
      expect(data.map((s) => [s.name, s.serverInfo?.name, s.toolsError])).toEqual([
        [server_name, 'adaos-root-mcp', null],
      ]);
      const ours = (await listed(zone(), bearer)).map((tool) => [tool.name, tool] as const);
      expect(Object.keys(data[0]!.tools).sort()).toEqual(ours.map(([tool]) => tool).sort());
      for (const [tool, { title, description, inputSchema, outputSchema, annotations }] of ours)
        expect(data[0]!.tools[tool]).toMatchObject({
          title,
          description,
          inputSchema,
          outputSchema,
          annotations,
        });

      const { thread } = await server.ask<{ thread: { id: string } }>('thread/start', { cwd: at.project });
      const call = (tool: string, args: object) =>
        server!.ask<Called>('mcpServer/tool/call', {
          threadId: thread.id,
          server: server_name,
          tool,
          arguments: args,
        });
      const status = await call('hub_get_status', {});
      expect(status.structuredContent).toMatchObject({ hub_id: 'demo' });
      expect(JSON.parse(status.content[0]!.text)).toEqual(status.structuredContent);
      const refused = await call('hub_get_logs', { tail: 5_000 });
      expect([refused.isError, refused.structuredContent]).toEqual([true, undefined]);
      expect(JSON.parse(refused.content[0]!.text)).toMatchObject({ code: 'invalid_argument' });
      expectRecorded('codex', name, wire);
    });

    test('shows the model each tool with its parameters, and results and refusals as the text we sent', async () => {
      const { bearer, config, server_name } = await given(zone(), 'codex');
      at.write(config.file!, config.text);
      const model = await scriptedModel(RESPONSES, server_name, [
        { tool: 'hub_get_status', input: {} },
        { tool: 'hub_get_logs', input: { tail: 5_000 } },
      ]);
      const recorder = await recordWire(zone().connection(), [model.origin]);
      try {
        const provider = `{name="loopback",base_url="${model.origin}/v1",wire_api="responses"}`;
        const settings = [
          'model_provider="loopback"',
          `model_providers.loopback=${provider}`,
          'model="scripted"',
        ];
        const argv = ['exec', '--json', '--skip-git-repo-check', ...settings.flatMap((line) => ['-c', line])];
        const run = await runClient(bin, [...argv, 'How is the hub?'], {
          desk: at,
          env: environment(bearer, recorder.proxy_url),
        });
        expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('"text":"done"')]);
        const parameters = (schema: Record<string, unknown>) => ({
          required: schema['required'] ?? [],
          // Bounds it leaves out; the server holds to them anyway.
          properties: Object.entries((schema['properties'] ?? {}) as Record<string, Record<string, unknown>>)
            .map(([property, rule]) => [property, rule['type'], rule['description'], rule['enum']])
            .sort(),
        });
        const tools = await listed(zone(), bearer);
        expect(model.shown().map(({ name, schema }) => ({ name, ...parameters(schema) }))).toEqual(
          tools
            .map((tool) => ({ name: `mcp__${server_name}__${tool.name}`, ...parameters(tool.inputSchema) }))
            .sort((a, b) => (a.name < b.name ? -1 : 1)),
        );
        const [status, refusal, ...more] = model.results();
        expect(more).toEqual([]);
        expect(status!.text).toContain('"hub_id":"demo"');
        expect(refusal!.text).toContain('"code":"invalid_argument"');
        expectRecorded('codex', 'call', recorder);
      } finally {
        await recorder.stop();
        await model.stop();
      }
    });

    test('a revoked lease: no tools, no try at a login, our words in its log', async () => {
      const { bearer, session, config } = await given(zone(), 'codex');
      at.write(config.file!, config.text);
      await revoke(zone(), session);
      server = await codexServer(bin, at, environment(bearer, wire.proxy_url));
      const { data } = await server.ask<Status>('mcpServerStatus/list', {});
      expect(data[0]!.tools).toEqual({});
      expect(data[0]!.toolsError).toContain('Auth required');
      // It logs beside the answer, not before it.
      await until('our words in its log', () => server!.stderr().includes(REVOKED) || undefined);
      expectRecorded('codex', 'revoked', wire);
      expect(wire.asked().filter((line) => line.startsWith('GET'))).toEqual([]);
    });
  });
};
