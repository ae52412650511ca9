import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPO } from './zone-under-test.js';

export interface Step {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly result: Record<string, unknown>;
}

const FILE = join(REPO, 'docs/guides/first-call.md');
const MARKS = ['<!-- transcript:begin -->', '<!-- transcript:end -->'] as const;

/** What differs between two runs is written as a placeholder, so that the page is the same for every topology. */
function settled(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => settled(item, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, settled(v, k)]));
  }
  if (typeof value === 'number' && /(_ms|_s|pid|restarts|bytes|bytes_scanned|seq)$/.test(key)) return '…';
  if (typeof value !== 'string') return value;
  return value
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/\b(evt|lse|dec|prm|req)_[0-9A-Z]{20,}/g, '<$1_id>')
    .replace(/\b[0-9a-f]{64}\b/g, '<sha256>')
    .replace(/^[0-9a-f]{32}$/, '<trace_id>')
    .replace(/\b(pid |web |worker |process group )\d+/g, '$1<pid>')
    .replace(/listens on \d+/, 'listens on <port>');
}

const EVENT_FIELDS = [
  'tool_id',
  'dry_run',
  'status',
  'policy_decision',
  'determining_rules',
  'execution_adapter',
  'redactions',
];

function show({ name, args, result }: Step): string {
  let shown = settled(result) as Record<string, unknown>;
  if (name === 'events') {
    const list = shown['events'] as Record<string, unknown>[];
    shown = {
      events: list.map((event) => Object.fromEntries(EVENT_FIELDS.map((field) => [field, event[field]]))),
    };
  }
  if (name === 'hub_get_logs')
    shown = {
      ...shown,
      lines: (shown['lines'] as string[]).filter((line) => !/ GET \/health /.test(line)).slice(0, 3),
      count: '…',
    };
  const title = Object.keys(args).length ? `${name} ${JSON.stringify(args)}` : name;
  return `### \`${title}\`\n\n\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\`\n`;
}

/**
 * Holds the transcript in docs/guides/first-call.md to what really happened. A difference fails the test; UPDATE_DOCS=1 writes it anew.
 */
export function transcriptOf(steps: readonly Step[]): void {
  const made = `${MARKS[0]}\n\n${steps.map(show).join('\n')}\n${MARKS[1]}`;
  const page = existsSync(FILE) ? readFileSync(FILE, 'utf8') : `${MARKS[0]}\n${MARKS[1]}\n`;
  const begin = page.indexOf(MARKS[0]);
  const end = page.indexOf(MARKS[1]) + MARKS[1].length;
  const written = page.slice(begin, end);
  if (written === made) return;
  if (process.env['UPDATE_DOCS'] === '1') {
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, page.slice(0, begin) + made + page.slice(end));
    return;
  }
  throw new Error(
    `docs/guides/first-call.md differs from what happened; run with UPDATE_DOCS=1 and look at the difference.\n${made}`,
  );
}
