import { BEARER_ENV, clientConfig, mcpNameOf, profileOf, toolsFor } from '@adaos/contracts';
import ansis from 'ansis';
import type { Connection } from './connection.js';

/** What a newcomer needs, ready to paste: URLs, the one-time bearer, a client configuration, what to try. */
export function banner(connection: Connection, profile: string): string {
  const { mcp_url, console_url, bearer, target_id, operator_token } = connection;
  const client = clientConfig('claude-code', { mcp_url, server_name: 'adaos', bearer_env: BEARER_ENV });
  const codex = clientConfig('codex', { mcp_url, server_name: 'adaos', bearer_env: BEARER_ENV });
  const label = (text: string) => ansis.dim(text.padEnd(10));
  return [
    '',
    `  ${ansis.bold.green('The zone is up.')}`,
    '',
    `  ${label('MCP URL')}${ansis.cyan(mcp_url)}`,
    `  ${label('Bearer')}${ansis.yellow(bearer)}  ${ansis.dim(`shown once: ${profile} on ${target_id}, 4 h`)}`,
    `  ${label('Console')}${ansis.cyan(console_url)}`,
    `  ${label('Operator')}${ansis.yellow(operator_token)}  ${ansis.dim('this run only')}`,
    '',
    `  ${ansis.bold('Connect a client')} ${ansis.dim('(paste)')}`,
    ...indent(`export ${BEARER_ENV}=${bearer}`),
    `  ${ansis.dim(`Claude Code, in ${client.file}`)}`,
    ...indent(client.text),
    `  ${ansis.dim(`Codex, in ${codex.file}`)}`,
    ...indent(codex.text),
    '',
    `  ${ansis.bold('Try')}  ${ansis.dim(tryThese(profile))}`,
    `  ${ansis.dim('Ctrl-C stops the zone; its data stays.')}`,
    '',
  ].join('\n');
}

/** A few calls the printed lease may make, the telling ones first. */
function tryThese(profile: string): string {
  const args: Record<string, string> = {
    'hub.get_logs': ' {"source":"web"}',
    'hub.restart_service': ' {"service":"web","dry_run":true}',
  };
  const telling = ['hub.get_status', 'hub.get_logs', 'hub.restart_service'];
  const allowed = toolsFor(profileOf(profile).capabilities);
  const first = [
    ...telling.filter((id) => allowed.includes(id)),
    ...allowed.filter((id) => !telling.includes(id)),
  ].slice(0, 3);
  return first.map((id) => mcpNameOf(id) + (args[id] ?? '')).join(', ');
}

const indent = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`);
