import { sha256 } from './digest.js';
import { hubIdOf } from './nouns/target.js';

/** Environment variable that every configuration of ours reads the bearer from. */
export const BEARER_ENV = 'ADAOS_ROOT_MCP_AUTH';

/** MCP clients a configuration can be written for. */
export const CONFIG_CLIENTS = ['codex', 'claude-code', 'vscode', 'cursor', 'inspector'] as const;
export type ConfigClient = (typeof CONFIG_CLIENTS)[number];

export interface ClientConfigInput {
  /** URL of the MCP endpoint as the client reaches it. */
  readonly mcp_url: string;
  /** Name of the server in the client's list: letters, digits, `_` and `-`; short, since clients prefix tool names with it. */
  readonly server_name: string;
  /** Environment variable that holds the bearer on the client's machine. The bearer itself is never part of a configuration. */
  readonly bearer_env: string;
}

export interface ClientConfig {
  readonly client: ConfigClient;
  /** Where the text goes; null for a command to run. */
  readonly file: string | null;
  readonly format: 'toml' | 'json' | 'shell';
  readonly text: string;
  readonly notes: readonly string[];
}

interface Row extends Pick<ClientConfig, 'file' | 'format'> {
  readonly text: (input: ClientConfigInput) => string;
  readonly notes: (input: ClientConfigInput) => readonly string[];
}

const json = (value: unknown) => JSON.stringify(value, null, 2) + '\n';
const SET_ENV =
  'Put the bearer into the environment variable first; keep it out of files that are committed.';

/**
 * One row per client: each has its own file, format and way to refer to a secret. A reference that a client would not expand is sent
 * as it stands and ends in a 401, never in a leak.
 */
const ROWS: Record<ConfigClient, Row> = {
  codex: {
    file: '~/.codex/config.toml',
    format: 'toml',
    text: ({ server_name, mcp_url, bearer_env }) =>
      `[mcp_servers.${server_name}]\nurl = ${JSON.stringify(mcp_url)}\nbearer_token_env_var = ${JSON.stringify(bearer_env)}\n`,
    notes: () => [
      SET_ENV,
      'Codex refuses an inline bearer_token.',
      'If it says that the server "is not logged in", the bearer was refused: `codex mcp login` will not help, a new lease will.',
    ],
  },
  'claude-code': {
    file: '.mcp.json',
    format: 'json',
    text: ({ server_name, mcp_url, bearer_env }) =>
      json({
        mcpServers: {
          [server_name]: {
            type: 'http',
            url: mcp_url,
            headers: { Authorization: `Bearer \${${bearer_env}}` },
          },
        },
      }),
    notes: ({ server_name, mcp_url, bearer_env }) => [
      SET_ENV,
      'Claude Code asks once whether this project may use the server: start `claude` there and approve it.',
      // Single quotes: the shell must not expand it, or the bearer itself ends up in ~/.claude.json.
      'Or by a command, for yourself alone: ' +
        `claude mcp add --transport http ${server_name} ${mcp_url} --header 'Authorization: Bearer \${${bearer_env}}'`,
    ],
  },
  vscode: {
    file: '.vscode/mcp.json',
    format: 'json',
    text: ({ server_name, mcp_url }) =>
      json({
        inputs: [
          {
            type: 'promptString',
            id: `${server_name}-bearer`,
            description: `Bearer for ${server_name}`,
            password: true,
          },
        ],
        servers: {
          [server_name]: {
            type: 'http',
            url: mcp_url,
            headers: { Authorization: `Bearer \${input:${server_name}-bearer}` },
          },
        },
      }),
    notes: () => ['VS Code asks for the bearer at the first start and keeps it in its secret store.'],
  },
  cursor: {
    file: '.cursor/mcp.json',
    format: 'json',
    text: ({ server_name, mcp_url, bearer_env }) =>
      json({
        mcpServers: {
          [server_name]: { url: mcp_url, headers: { Authorization: `Bearer \${env:${bearer_env}}` } },
        },
      }),
    notes: () => [
      SET_ENV,
      'Start Cursor from a shell that has the variable; reload MCP servers after a change.',
    ],
  },
  inspector: {
    file: null,
    format: 'shell',
    text: ({ mcp_url, bearer_env }) =>
      `npx @modelcontextprotocol/inspector --cli --server-url ${mcp_url} --transport http ` +
      `--header "Authorization: Bearer $${bearer_env}" --method tools/list --format json\n`,
    notes: () => [SET_ENV, 'Exit code 3 means that the bearer was refused.'],
  },
};

/**
 * Most characters of a name that we make up: Codex and Claude Code call a tool `mcp__<server>__<tool>`, 64 in all, and Cursor takes 60
 * for server and tool; a tool name has up to 40.
 */
export const SERVER_NAME_MAX = 17;

/**
 * Name of the server in a client's list for a lease on that target. Letters, digits and single `_` only, since Codex and Cursor turn
 * all else into `_`; a hub id that loses something on the way brings a piece of its digest, so that two hubs never share a name.
 */
export function serverNameOf(target_id: string): string {
  const hub_id = hubIdOf(target_id);
  if (hub_id === null) return 'adaos';
  const plain = /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(hub_id);
  const name = `adaos_${hub_id}`.replace(/[^A-Za-z0-9]+/g, '_');
  if (plain && name.length <= SERVER_NAME_MAX) return name;
  return `${name.slice(0, SERVER_NAME_MAX - 7).replace(/_$/, '')}_${sha256(hub_id).slice(0, 6)}`;
}

/** The configuration one client needs to reach this server. Throws TypeError on a name or URL that could break out of the file. */
export function clientConfig(client: ConfigClient, input: ClientConfigInput): ClientConfig {
  const { server_name, bearer_env, mcp_url } = input;
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(server_name)) throw new TypeError('server_name is no short name');
  if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(bearer_env)) throw new TypeError('bearer_env is no variable name');
  // The Inspector's line goes into a shell.
  if (!/^https?:\/\/[A-Za-z0-9.\-[\]:]+(\/[A-Za-z0-9._~/-]*)?$/.test(mcp_url))
    throw new TypeError('mcp_url is no plain URL');
  const { file, format, text, notes } = ROWS[client];
  return { client, file, format, text: text(input), notes: notes(input) };
}
