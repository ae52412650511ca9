import { describe, expect, test } from '@jest/globals';
import { CONFIG_CLIENTS, SERVER_NAME_MAX, clientConfig, serverNameOf } from './client-config.js';

const INPUT = {
  mcp_url: 'https://zone.example/v1/root/mcp',
  server_name: 'adaos-demo',
  bearer_env: 'ADAOS_ROOT_MCP_AUTH',
};
const text = (client: (typeof CONFIG_CLIENTS)[number]) => clientConfig(client, INPUT).text;

describe('clientConfig', () => {
  test('codex gets TOML with the name of the variable', () => {
    expect(text('codex')).toBe(
      '[mcp_servers.adaos-demo]\nurl = "https://zone.example/v1/root/mcp"\nbearer_token_env_var = "ADAOS_ROOT_MCP_AUTH"\n',
    );
  });

  test('claude-code gets .mcp.json with ${VAR}, and the command in a note', () => {
    const config = clientConfig('claude-code', INPUT);
    expect(JSON.parse(config.text)).toEqual({
      mcpServers: {
        'adaos-demo': {
          type: 'http',
          url: INPUT.mcp_url,
          headers: { Authorization: 'Bearer ${ADAOS_ROOT_MCP_AUTH}' },
        },
      },
    });
    expect(config.file).toBe('.mcp.json');
    // Quoted so that Claude Code, not the shell, puts the bearer in: no file ever holds it.
    expect(config.notes.join('\n')).toContain(
      "claude mcp add --transport http adaos-demo https://zone.example/v1/root/mcp --header 'Authorization: Bearer ${ADAOS_ROOT_MCP_AUTH}'",
    );
  });

  test('vscode asks for the bearer as a password', () => {
    const config = JSON.parse(text('vscode')) as Record<string, unknown>;
    expect(config).toMatchObject({
      inputs: [{ type: 'promptString', id: 'adaos-demo-bearer', password: true }],
      servers: {
        'adaos-demo': { type: 'http', headers: { Authorization: 'Bearer ${input:adaos-demo-bearer}' } },
      },
    });
  });

  test('cursor refers to the environment', () => {
    expect(JSON.parse(text('cursor'))).toEqual({
      mcpServers: {
        'adaos-demo': { url: INPUT.mcp_url, headers: { Authorization: 'Bearer ${env:ADAOS_ROOT_MCP_AUTH}' } },
      },
    });
  });

  test('the inspector gets one command line', () => {
    expect(text('inspector')).toBe(
      'npx @modelcontextprotocol/inspector --cli --server-url https://zone.example/v1/root/mcp --transport http ' +
        '--header "Authorization: Bearer $ADAOS_ROOT_MCP_AUTH" --method tools/list --format json\n',
    );
  });

  test.each([
    ['server_name', 'a"b'],
    ['server_name', 'x'.repeat(33)],
    ['bearer_env', 'A;rm'],
    ['mcp_url', 'https://zone.example/mcp; id'],
    ['mcp_url', 'https://zone.example/$(id)'],
    ['mcp_url', 'file:///etc/passwd'],
  ])('refuses a %s that could break out of the text: %s', (field, value) => {
    for (const client of CONFIG_CLIENTS) {
      expect(() => clientConfig(client, { ...INPUT, [field]: value })).toThrow(TypeError);
    }
  });
});

describe('serverNameOf', () => {
  test.each([
    ['hub:demo', 'adaos_demo'],
    ['hub:rack-1', 'adaos_rack_1'],
    ['hub:rack_1', 'adaos_rack_bd399e'],
    ['hub:rack-12-node-a1', 'adaos_rack_f68126'],
    ['hub:a--b', 'adaos_a_b_90827a'],
    ['hub:-', 'adaos_3973e0'],
    ['nothing', 'adaos'],
  ])('%s', (target_id, expected) => {
    expect(serverNameOf(target_id)).toBe(expected);
  });

  test('two hubs never share a name, and no client rewrites one', () => {
    const ids = [
      'a-b',
      'a_b',
      'a--b',
      'a__b',
      '-a-b',
      'a-b-',
      'rack-12-node-a1',
      'rack-12-node-a2',
      'rack_12_node_a2',
      '_',
      '-',
    ];
    const names = ids.map((id) => serverNameOf(`hub:${id}`));
    expect(new Set(names).size).toBe(ids.length);
    for (const name of names) {
      expect(name).toMatch(/^[A-Za-z0-9]+(_[A-Za-z0-9]+)*$/);
      expect(name.length).toBeLessThanOrEqual(SERVER_NAME_MAX);
    }
  });
});
