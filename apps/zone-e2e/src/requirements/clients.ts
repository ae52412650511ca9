import { row, SCENARIOS, type Requirement } from './requirement.js';

const CLAUDE_CODE = `${SCENARIOS}/claude-code.suite.ts`;
const CODEX = `${SCENARIOS}/codex.suite.ts`;
const OFFICIAL = `${SCENARIOS}/clients.suite.ts`;
const REPLAYED = `${SCENARIOS}/replayed-clients.suite.ts`;
const PUBLISHED = 'libs/contracts/src/tools/published.test.ts';

/** Real clients, replicas, tenancy. */
export const CLIENTS: readonly Requirement[] = [
  row(
    'client-claude-code',
    'Claude Code loads the generated file and connects',
    'both',
    CLAUDE_CODE,
    'loads the generated .mcp.json and connects',
  ),
  row(
    'client-claude-code-command',
    'The generated command works and leaves the bearer out of every file',
    'both',
    CLAUDE_CODE,
    'takes the generated command as it stands, and no file of its own then holds the bearer',
  ),
  row(
    'client-claude-code-revoked',
    'Claude Code shows our sentence for a revoked and for an unknown bearer',
    'both',
    CLAUDE_CODE,
    'says in our words that the lease was revoked, or that the bearer is none',
  ),
  row(
    'client-claude-code-model',
    'What Claude Code shows its model are our tools, results and refusals',
    'both',
    CLAUDE_CODE,
    'shows the model our tools unchanged, and results and refusals as the text we sent',
  ),
  row(
    'client-codex',
    'Codex loads the generated file, lists the same tools and calls, in both eras',
    'both',
    CODEX,
    'loads the generated config.toml, lists and calls: %s',
  ),
  row(
    'client-codex-model',
    'What Codex shows its model are our tools, results and refusals',
    'both',
    CODEX,
    'shows the model each tool with its parameters, and results and refusals as the text we sent',
  ),
  row(
    'client-codex-revoked',
    'A revoked lease leaves Codex without tools and without a login',
    'both',
    CODEX,
    'a revoked lease: no tools, no try at a login, our words in its log',
  ),
  row(
    'client-sdk',
    'Official clients v1 and v2 list, call and are refused, in every way to agree on a revision',
    'both',
    OFFICIAL,
    '%s, %s: lists what the lease allows, calls, is refused',
  ),
  row(
    'client-inspector',
    'The Inspector lists and calls in every era, with --strict and exit codes',
    'both',
    OFFICIAL,
    'lists and calls, era %s',
  ),
  row(
    'client-inspector-strict',
    'No profile lists a tool that the Inspector finds fault with',
    'both',
    OFFICIAL,
    'every profile lists without a finding',
  ),
  row(
    'client-inspector-command',
    'The generated Inspector command runs as it stands',
    'both',
    OFFICIAL,
    'runs the generated command line as it stands',
  ),
  row(
    'client-vscode-config',
    'The VS Code file keeps to its schema',
    'both',
    REPLAYED,
    'the generated file keeps to its schema, and asks for the bearer as a password',
  ),
  row(
    'client-vscode',
    'VS Code connects without a session and finds no login',
    'both',
    REPLAYED,
    'a revoked lease: 401 with our words, and a discovery that finds no login anywhere',
  ),
  row(
    'client-cursor',
    'Cursor gets 405 on its GET and calls by our names',
    'both',
    REPLAYED,
    'a GET before all else gets 405, not the 400 it repeats for ever nor the 404 it takes for broken',
  ),
  row(
    'client-names',
    'Names fit every client with the longest server name we generate',
    'unit',
    PUBLISHED,
    'fit every client with the longest server name that we generate',
  ),
  row(
    'client-schemas',
    'Published schemas hold nothing a client breaks on',
    'unit',
    PUBLISHED,
    'no combinators and no references anywhere: one at the top ends a whole session',
  ),
  row(
    'client-list-size',
    'A profile shows at most 30 tools',
    'unit',
    PUBLISHED,
    '%s shows at most 30 tools, in at most 64 kB',
  ),
];
