import { sourceFiles, textOf } from './load.mjs';
import { code, page, table } from './markdown.mjs';
import { policyRules } from './policies-page.mjs';

/** Codes that code or policy of this build really answers with; the others are kept for what is still to come. */
function raised() {
  const thrown = ['apps', 'libs']
    .flatMap(sourceFiles)
    .filter((path) => !path.startsWith('apps/cli/') && path !== 'libs/contracts/src/errors.ts')
    .flatMap((path) => [...textOf(path).matchAll(/(?:OpError\(\s*|code: |return invalid\(\s*)'([a-z_]+)'/g)])
    .map((match) => match[1]);
  return new Set(['internal', ...thrown, ...policyRules().map((rule) => rule.code)]);
}

const AUTH = ['unauthenticated', 'lease_expired', 'lease_revoked'];

/** How `tools/call` shows the code (apps/zonal-facade/src/mcp/tool-result.ts). */
function onMcp(name) {
  if (AUTH.includes(name)) return 'HTTP 401 with a challenge';
  if (name === 'tool_not_found') return 'JSON-RPC error -32602';
  if (name === 'invalid_argument') return '`isError`; -32602 when `arguments` is no object';
  return '`isError`';
}

export function errorsPage({ contracts }) {
  const known = raised();
  const rows = Object.entries(contracts.ERRORS).map(([name, row]) => [
    code(name),
    row.http,
    row.jsonrpc,
    row.retryable ? 'yes' : 'no',
    onMcp(name),
    row.message,
    known.has(name) ? '' : 'reserved',
  ]);
  return page(
    'Error codes',
    'libs/contracts/src/errors.ts',
    'Every refusal and failure carries one of these codes. REST, MCP and the bus use the same code. What an operator does about each: [Why was it denied?](../guides/why-was-it-denied.md)',
    table(['Code', 'HTTP', 'JSON-RPC', 'Retry as is', 'In an MCP tool call', 'Message', ''], rows),
    [
      '`POST /v1/root/mcp/call` answers 200 with `ok: false` for a refusal by tool or policy; only a bad credential (401), a scope mismatch (403), a broken body (400, 408, 413, 415) and a router that does not answer (503) use the status. The other REST routes use the HTTP column.',
      '`reserved`: the code is in the table and no part of this build answers with it yet.',
      'A message may be more exact than the one above: a schema fault names path and rule, a policy rule brings its own sentence. An unknown failure is always `internal`, with its text kept inside.',
    ],
  );
}
