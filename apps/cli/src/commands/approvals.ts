import { Option, type Command } from 'commander';
import { APPROVAL_STATUSES, type Approval } from '@adaos/contracts';
import type { Context, Open } from '../context.js';
import { withNext } from '../failure.js';
import { count, targetId } from '../options.js';
import { toned } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';
import { readListing } from '../zone-api/pages.js';
import { path } from '../zone-api/path.js';

const WAITING = 'See what waits: adaosctl approvals list --status pending';

interface ListOptions {
  readonly status?: string;
  readonly target?: string;
  readonly limit: number;
}

export function addApprovalCommands(program: Command, open: Open): void {
  const approvals = program.command('approvals').description('changes that wait for a yes');
  approvals
    .command('list')
    .description('what waits and what was decided, newest first')
    .addOption(new Option('--status <status>', 'only those in this state').choices(APPROVAL_STATUSES))
    .option('--target <target>', 'only those on this target', targetId)
    .option('--limit <n>', 'show at most this many', count(1, 10_000), 50)
    .action(async (options: ListOptions, command: Command) => listApprovals(open(command), options));
  decision(approvals, open, 'approve', 'let the one call through that it names, once, within the hour');
  decision(approvals, open, 'reject', 'refuse the call that it names');
}

function decision(approvals: Command, open: Open, verb: 'approve' | 'reject', description: string): void {
  approvals
    .command(verb)
    .description(description)
    .argument('<id>', 'id of the approval, apr_…')
    .option('--reason <text>', 'why; whoever asked reads it')
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const { api, json, output, screen } = open(command);
      const answer = await withNext(
        { invalid_argument: WAITING, conflict: WAITING, forbidden: 'Have another approver look at it.' },
        api.post<{ approval: Approval }>(path`/approvals/${id}/${verb}`, { reason }),
      );
      if (json) return output.document(answer);
      const { approval_id, tool_id, target_id, status } = answer.approval;
      screen.wrapped([
        toned(verb === 'approve' ? 'ok' : 'warn', status === 'approved' ? 'Approved' : 'Rejected'),
        toned('accent', approval_id),
        `${tool_id} on ${target_id ?? 'the zone'}.`,
      ]);
    });
}

const columns = (now: number): readonly Column<Approval>[] => [
  { title: 'APPROVAL', cell: (a) => toned('accent', a.approval_id) },
  { title: 'STATUS', cell: (a) => stateWord(a.status) },
  { title: 'TOOL', cell: (a) => a.tool_id, min: 15 },
  { title: 'TARGET', cell: (a) => a.target_id ?? '', min: 10 },
  { title: 'WITH', cell: (a) => JSON.stringify(a.arguments), min: 12 },
  { title: 'ASKED', cell: (a) => relativeTime(a.requested_at, now), drop: 2 },
  { title: 'ENDS', cell: (a) => relativeTime(a.expires_at, now), drop: 3 },
  { title: 'BY', cell: (a) => a.requested_by, min: 10, drop: 1 },
];

async function listApprovals(context: Context, options: ListOptions): Promise<void> {
  const { api, io, json, output, screen } = context;
  const { status, target, limit } = options;
  const query = { status, target_id: target };
  const { items, complete } = await readListing<Approval>(api, '/approvals', 'approvals', query, limit);
  if (json) return output.document({ ok: true, approvals: items, complete });
  if (items.length) printTable(screen, columns(io.now()), items);
  else screen.line(status || target ? 'No such approvals.' : 'Nothing has asked for approval yet.');
  if (!complete) output.remark(`There are more than ${limit}; --limit shows them.`);
}
