import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { desk, runClient, type Desk } from '../clients/client-process.js';
import { binary, given, listed, revoke, REVOKED } from '../clients/given.js';
import { expectRecorded, rowOf } from '../clients/matrix.js';
import { MESSAGES, scriptedModel } from '../clients/scripted-model.js';
import { recordWire, type Wire } from '../clients/wire.js';
import type { ZoneUnderTest } from '../zone-under-test.js';

/** Claude Code itself, without an account, with the configuration that we generate. */
export const claudeCode = (zone: () => ZoneUnderTest): void => {
  const bin = binary('CLAUDE_BIN');
  if (bin === null) return;

  describe('Claude Code', () => {
    let at: Desk;
    let wire: Wire;
    beforeEach(async () => {
      at = desk();
      wire = await recordWire(zone().connection());
    });
    afterEach(async () => {
      await wire.stop();
      at.clear();
    });

    const environment = (bearer: string, proxy_url: string): Record<string, string> => ({
      ADAOS_ROOT_MCP_AUTH: bearer,
      HTTP_PROXY: proxy_url,
      HTTPS_PROXY: proxy_url,
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
    const claude = (bearer: string, args: string[]) =>
      runClient(bin, args, { desk: at, env: environment(bearer, wire.proxy_url) });

    /** The file in the project, and the yes that Claude Code asks for once. */
    const install = (file: string, text: string, server_name: string) => {
      at.write(file, text);
      at.write('~/.claude/settings.json', JSON.stringify({ enabledMcpjsonServers: [server_name] }));
    };

    test('is the version of the matrix', async () => {
      const { stdout } = await claude('', ['--version']);
      expect(stdout).toBe(`${rowOf('claude-code').version} (Claude Code)\n`);
    });

    test('loads the generated .mcp.json and connects', async () => {
      const { bearer, config, server_name } = await given(zone(), 'claude-code');
      install(config.file!, config.text, server_name);
      const got = await claude(bearer, ['mcp', 'get', server_name]);
      expect([got.code, got.stdout]).toEqual([0, expect.stringContaining('Status: ✔ Connected')]);
      expectRecorded('claude-code', 'connect', wire);
    });

    test('takes the generated command as it stands, and no file of its own then holds the bearer', async () => {
      const { bearer, config, server_name } = await given(zone(), 'claude-code');
      const command = /claude mcp add .*$/.exec(config.notes.join('\n'))![0];
      const bin_dir = join(at.home, 'bin');
      mkdirSync(bin_dir);
      symlinkSync(bin, join(bin_dir, 'claude'));
      const added = await runClient('/bin/sh', ['-c', command], {
        desk: at,
        env: environment(bearer, wire.proxy_url),
        path: `${bin_dir}:/usr/bin:/bin`,
      });
      expect([added.code, added.stderr]).toEqual([0, '']);
      expect((await claude(bearer, ['mcp', 'get', server_name])).stdout).toContain('Status: ✔ Connected');
      const kept = readFileSync(join(at.home, '.claude.json'), 'utf8');
      expect([kept.includes('${ADAOS_ROOT_MCP_AUTH}'), kept.includes(bearer)]).toEqual([true, false]);
    });

    test('says in our words that the lease was revoked, or that the bearer is none', async () => {
      const { bearer, session, config, server_name } = await given(zone(), 'claude-code');
      install(config.file!, config.text, server_name);
      await revoke(zone(), session);
      const revoked = await claude(bearer, ['mcp', 'get', server_name]);
      expect(revoked.stdout).toContain('Failed to connect');
      expect(revoked.stdout).toContain(REVOKED);
      expectRecorded('claude-code', 'revoked', wire);
      const unknown = await claude(`mcp_${'x'.repeat(43)}`, ['mcp', 'get', server_name]);
      expect(unknown.stdout).toContain('A valid bearer is required.');
      // Neither a login nor a registration is tried.
      expect(wire.asked().filter((line) => line.startsWith('GET'))).toEqual([]);
    });

    test('shows the model our tools unchanged, and results and refusals as the text we sent', async () => {
      const { bearer, config, server_name } = await given(zone(), 'claude-code');
      const model = await scriptedModel(MESSAGES, server_name, [
        { tool: 'hub_get_status', input: {} },
        { tool: 'hub_get_logs', input: { tail: 5_000 } },
      ]);
      const recorder = await recordWire(zone().connection(), [model.origin]);
      try {
        const path = at.write(config.file!, config.text);
        const allowed = ['hub_get_status', 'hub_get_logs'].map((tool) => `mcp__${server_name}__${tool}`);
        const argv = ['-p', 'How is the hub?', '--mcp-config', path, '--strict-mcp-config'];
        const run = await runClient(
          bin,
          [...argv, '--allowedTools', allowed.join(','), '--output-format', 'json'],
          {
            desk: at,
            env: {
              ...environment(bearer, recorder.proxy_url),
              ANTHROPIC_BASE_URL: model.origin,
              ANTHROPIC_API_KEY: 'sk-loopback',
              // Otherwise the model sees names only, until it searches for one.
              ENABLE_TOOL_SEARCH: 'false',
            },
          },
        );
        expect([run.code, run.stderr]).toEqual([0, '']);
        const tools = await listed(zone(), bearer);
        expect(
          model
            .shown()
            .map(({ name, schema }) => [name, schema])
            .sort(),
        ).toEqual(tools.map((tool) => [`mcp__${server_name}__${tool.name}`, tool.inputSchema]).sort());
        const [status, refusal, ...more] = model.results();
        expect(more).toEqual([]);
        expect(JSON.parse(status!.text)).toMatchObject({ hub_id: 'demo', health: expect.any(String) });
        expect(refusal!.is_error).toBe(true);
        expect(refusal!.text).toContain('"code":"invalid_argument"');
        expectRecorded('claude-code', 'call', recorder);
      } finally {
        await recorder.stop();
        await model.stop();
      }
    });
  });
};
