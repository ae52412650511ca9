// Client configurations inside hand-written pages, kept equal to what clientConfig() makes.
//   <!-- client: codex -->
//   ```toml
//   …
//   ```
//   <!-- /client -->
// and the table of clients that were run, from the record that the end-to-end tests hold them to:
//   <!-- client-matrix -->
//   …
//   <!-- /client-matrix -->
import { textOf } from './load.mjs';

/** What `npm start` prints on its default port. */
export const SAMPLE = {
  mcp_url: 'http://127.0.0.1:7717/v1/root/mcp',
  server_name: 'adaos',
  bearer_env: 'ADAOS_ROOT_MCP_AUTH',
};

const BLOCK = /<!-- client: ([a-z-]+) -->\n[\s\S]*?<!-- \/client -->/g;
const MATRIX = /<!-- client-matrix -->\n[\s\S]*?<!-- \/client-matrix -->/;
const FENCE = { toml: 'toml', json: 'json', shell: 'sh' };

/** The page with every marked block made anew. Throws on a client that is not in the table. */
export function withSnippets({ contracts }, text) {
  const filled = text.replace(
    MATRIX,
    () => `<!-- client-matrix -->\n${matrixTable()}\n<!-- /client-matrix -->`,
  );
  return filled.replace(BLOCK, (_, client) => {
    const made = contracts.clientConfig(client, SAMPLE);
    return `<!-- client: ${client} -->\n\`\`\`${FENCE[made.format]}\n${made.text.trimEnd()}\n\`\`\`\n<!-- /client -->`;
  });
}

/** A row per client and case: what it asked of the zone, and what of that was refused. */
function matrixTable() {
  const { checked, clients } = JSON.parse(textOf('apps/zone-e2e/src/client-matrix.json'));
  const rows = Object.values(clients).flatMap(({ name, version, wire }) =>
    Object.entries(wire).map(([way, { asked, refused }], i) => [
      i === 0 ? `${name} ${version}` : '',
      way,
      byRevision(asked),
      refused.map((line) => `\`${line}\``).join(', ') || 'nothing',
    ]),
  );
  const table = [['Client', 'Case', 'It asks', 'Refused'], ['---', '---', '---', '---'], ...rows];
  return `Run on ${checked}:\n\n${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`;
}

/** `2026-07-28: server/discover, tools/list`. */
function byRevision(lines) {
  const asked = new Map();
  for (const line of lines) {
    const [what, revision] = line.split(' ');
    asked.set(revision, [...(asked.get(revision) ?? []), what]);
  }
  return [...asked]
    .map(([revision, what]) => `${revision}: ${what.map((name) => `\`${name}\``).join(', ')}`)
    .join('; ');
}
