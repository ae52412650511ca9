// Client configurations inside hand-written pages, kept equal to what clientConfig() makes.
//   <!-- client: codex -->
//   ```toml
//   …
//   ```
//   <!-- /client -->

/** What `npm start` prints on its default port. */
export const SAMPLE = {
  mcp_url: 'http://127.0.0.1:7717/v1/root/mcp',
  server_name: 'adaos',
  bearer_env: 'ADAOS_ROOT_MCP_AUTH',
};

const BLOCK = /<!-- client: ([a-z-]+) -->\n[\s\S]*?<!-- \/client -->/g;
const FENCE = { toml: 'toml', json: 'json', shell: 'sh' };

/** The page with every marked block made anew. Throws on a client that is not in the table. */
export function withSnippets({ contracts }, text) {
  return text.replace(BLOCK, (_, client) => {
    const made = contracts.clientConfig(client, SAMPLE);
    return `<!-- client: ${client} -->\n\`\`\`${FENCE[made.format]}\n${made.text.trimEnd()}\n\`\`\`\n<!-- /client -->`;
  });
}

/** Clients named in a page's blocks, in order. */
export const clientsIn = (text) => [...text.matchAll(BLOCK)].map((match) => match[1]);
