import { describe, expect, test } from '@jest/globals';
import { CONFIG_CLIENTS, clientConfig } from './client-config.js';

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
    expect(config.notes[1]).toContain(
      'claude mcp add --transport http adaos-demo https://zone.example/v1/root/mcp --header "Authorization: Bearer $ADAOS_ROOT_MCP_AUTH"',
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
