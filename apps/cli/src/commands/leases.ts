import { Option, type Command } from 'commander';
import type { SessionLease } from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { withNext } from '../failure.js';
import { count, targetId } from '../options.js';
import { toned } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';
import { readListing } from '../zone-api/pages.js';
import { path } from '../zone-api/path.js';
import { addIssueCommand } from './lease-issue.js';
import { addRotateCommand } from './lease-rotate.js';

const STATUSES: readonly SessionLease['status'][] = ['active', 'expired', 'revoked'];

interface ListOptions {
  readonly status?: string;
  readonly active?: true;
  readonly target?: string;
  readonly audience?: string;
  readonly profile?: string;
  readonly limit: number;
}

export function addLeaseCommands(program: Command, open: Open): void {
  const lease = program
    .command('lease')
    .alias('leases')
    .description('MCP session leases: what a client is given');
  addIssueCommand(lease, open);
  addRotateCommand(lease, open);
  lease
    .command('list')
    .description('leases with deadline and use, newest first')
    .addOption(new Option('--status <status>', 'only leases in this state').choices(STATUSES))
    .option('--active', 'only leases that open something now')
    .option('--target <target>', 'only leases on this target', targetId)
    .option('--audience <name>', 'only leases for this audience')
    .option('--profile <name>', 'only leases of this profile')
    .option('--limit <n>', 'show at most this many', count(1, 10_000), 200)
    .action(async (options: ListOptions, command: Command) => listLeases(open(command), options));
  lease
    .command('revoke')
    .description('end a lease now, everywhere')
    .argument('<id>', 'id of the lease, lse_…')
    .option('--reason <text>', 'why; stands in the record')
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const { api, json, output, screen } = open(command);
      const answer = await withNext(
        { invalid_argument: 'See which leases there are: adaosctl lease list --status active' },
        api.post<{ session: SessionLease }>(path`/sessions/${id}/revoke`, { reason }),
      );
      if (json) return output.document(answer);
      const { session } = answer;
      const { session_id, target_id } = session;
      screen.wrapped([
        toned('ok', 'Revoked'),
        toned('accent', session_id),
        'on',
        `${target_id};`,
        'its bearer opens nothing any more.',
      ]);
    });
}

const columns = (now: number): readonly Column<SessionLease>[] => [
  // Whole: it is what revoke needs.
  { title: 'LEASE', cell: (lease) => toned('accent', lease.session_id) },
  { title: 'TARGET', cell: (lease) => lease.target_id, min: 10 },
  { title: 'PROFILE', cell: (lease) => lease.capability_profile, min: 15 },
  { title: 'STATUS', cell: (lease) => stateWord(lease.status) },
  { title: 'ENDS', cell: (lease) => relativeTime(lease.revoked_at ?? lease.deadline_at, now) },
  { title: 'USES', cell: (lease) => lease.use_count, align: 'right', drop: 4 },
  {
    title: 'LAST USE',
    cell: (lease) => (lease.last_used_at ? relativeTime(lease.last_used_at, now) : toned('dim', 'never')),
    drop: 3,
  },
  { title: 'AUDIENCE', cell: (lease) => lease.audience, min: 8, drop: 2 },
  { title: 'NOTE', cell: (lease) => lease.note, min: 8, drop: 1 },
];

async function listLeases({ api, io, json, output, screen }: Context, options: ListOptions): Promise<void> {
  const { status, active, target, audience, profile, limit } = options;
  const query = {
    status,
    active_only: active && 'true',
    target_id: target,
    audience,
    capability_profile: profile,
  };
  const { items, complete } = await readListing<SessionLease>(api, '/sessions', 'sessions', query, limit);
  if (json) return output.document({ ok: true, sessions: items, complete });
  if (items.length) printTable(screen, columns(io.now()), items);
  else if (Object.values(query).some(Boolean)) screen.line('No such leases.');
  else screen.line('No leases yet. Issue one: adaosctl lease issue <target> --profile InfraOpsRead');
  if (!complete) output.remark(`There are more than ${limit}; --limit shows them.`);
}
