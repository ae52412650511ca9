import { Option, type Command } from 'commander';
import { API_KEY_TTL, ROLES, type ApiKey } from '@adaos/contracts';
import type { Open } from '../context.js';
import { withNext } from '../failure.js';
import { count, lifetime, targetId } from '../options.js';
import { printFields } from '../screen/fields.js';
import { printSecret } from '../screen/secret.js';
import { toned } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';
import { readListing } from '../zone-api/pages.js';
import { path } from '../zone-api/path.js';

interface CreateOptions {
  readonly role?: string;
  readonly capability?: string[];
  readonly issues?: string[];
  readonly target?: string;
  readonly subnet?: string;
  readonly ttl?: number;
  readonly note?: string;
}

/** Admins only; the zone says so. */
export function addKeyCommands(program: Command, open: Open): void {
  const keys = program.command('keys').description('API keys: what a pipeline is given');
  keys
    .command('create')
    .description('make a key; it is shown once')
    .argument('<name>', 'short name; stands in the record')
    .addOption(new Option('--role <role>', 'what this role may do').choices(ROLES))
    .option('--capability <name...>', 'or these capabilities')
    .option('--issues <profile...>', 'or issuing leases and tokens of these profiles')
    .option('--target <target>', 'only for this target', targetId)
    .option('--subnet <id>', 'only for targets of this subnet')
    .option(
      '--ttl <duration>',
      'life, 60s to 365d (default: 90d)',
      lifetime(API_KEY_TTL, 'A key lives from 60s to 365d.'),
    )
    .option('--note <text>', 'what it is for')
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const context = open(command);
      const { api, io, json, output, screen } = context;
      const answer = await api.post<{ key: ApiKey; api_key: string }>('/api-keys', {
        name,
        role: options.role,
        capabilities: options.capability,
        issue_profiles: options.issues,
        target_id: options.target,
        subnet_id: options.subnet,
        ttl_seconds: options.ttl,
        note: options.note,
      });
      if (json) return output.document(answer);
      const { key, api_key } = answer;
      printSecret(context, 'Key', api_key);
      printFields(screen, [
        ['key', toned('accent', key.key_id)],
        ['may', scopeOf(key)],
        ['on', key.target_id ?? (key.subnet_id === null ? 'the zone' : `subnet ${key.subnet_id}`)],
        ['ends', relativeTime(key.deadline_at, io.now())],
      ]);
    });
  keys
    .command('list')
    .description('keys with scope, deadline and use, newest first')
    .addOption(
      new Option('--status <status>', 'only keys in this state').choices(['active', 'expired', 'revoked']),
    )
    .option('--limit <n>', 'show at most this many', count(1, 10_000), 200)
    .action(async ({ status, limit }: { status?: string; limit: number }, command: Command) => {
      const { api, io, json, output, screen } = open(command);
      const { items, complete } = await readListing<ApiKey>(api, '/api-keys', 'keys', { status }, limit);
      if (json) return output.document({ ok: true, keys: items, complete });
      if (items.length) printTable(screen, columns(io.now()), items);
      else screen.line('No such keys.');
      if (!complete) output.remark(`There are more than ${limit}; --limit shows them.`);
    });
  keys
    .command('revoke')
    .description('end a key and what was issued with it, now, everywhere')
    .argument('<id>', 'id of the key, key_…')
    .option('--reason <text>', 'why; stands in the record')
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const { api, json, output, screen } = open(command);
      const answer = await withNext(
        { invalid_argument: 'See which keys there are: adaosctl keys list --status active' },
        api.post<{ key: ApiKey }>(path`/api-keys/${id}/revoke`, { reason }),
      );
      if (json) return output.document(answer);
      screen.wrapped([toned('ok', 'Revoked'), toned('accent', answer.key.key_id), `(${answer.key.name}).`]);
    });
}

const scopeOf = ({ role, capabilities, issue_profiles }: ApiKey): string =>
  [
    role ? `what ${role} may` : `${capabilities.length} capabilities`,
    ...(issue_profiles ? [`issue ${issue_profiles.join(', ')}`] : []),
  ].join('; ');

const columns = (now: number): readonly Column<ApiKey>[] => [
  { title: 'KEY', cell: (key) => toned('accent', key.key_id) },
  { title: 'NAME', cell: (key) => key.name, min: 8 },
  { title: 'MAY', cell: scopeOf, min: 12 },
  { title: 'STATUS', cell: (key) => stateWord(key.status) },
  { title: 'ENDS', cell: (key) => relativeTime(key.revoked_at ?? key.deadline_at, now) },
  { title: 'USES', cell: (key) => key.use_count, align: 'right', drop: 2 },
  { title: 'BY', cell: (key) => key.issued_by, min: 8, drop: 1 },
];
