import type { ChangeGroup, Comparison, PolicyFault } from '@adaos/policy-engine';
import type { Context } from '../context.js';
import { usage } from '../failure.js';
import { toned, type Tone } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { checkFaults, compileFolder, readGiven } from './policy-files.js';

export interface DiffOptions {
  readonly from: string;
  readonly to?: string;
  readonly text?: string;
  readonly policies?: string;
  readonly against?: string;
  readonly guards?: string;
}

type Diff = Comparison & {
  readonly from: string;
  readonly to: string;
  readonly faults: readonly PolicyFault[];
};

/** Milliseconds a zone may take for it; longer than its own limit. */
const TIMEOUT_MS = 45_000;
/** Groups and cells of a comparison on this machine: enough for any, and an end. */
const BOUNDS = { max_cells: 1_000_000, max_groups: 1_000 };

export async function diffPolicies(context: Context, options: DiffOptions): Promise<void> {
  const { json, output, screen } = context;
  const diff =
    options.policies === undefined ? await atZone(context, options) : await offline(context, options);
  checkFaults(diff.faults);
  if (json) return output.document({ ok: true, ...diff });
  screen.wrapped([
    `${diff.from} → ${diff.to}:`,
    diff.changed
      ? toned('warn', `${diff.changed} of ${diff.compared} calls change`)
      : toned('ok', `none of ${diff.compared} calls changes`),
  ]);
  if (diff.groups.length) {
    screen.line();
    printTable(screen, COLUMNS, diff.groups);
  }
  if (!diff.complete) output.remark('Not all of it: the comparison was cut at its bounds.');
}

const atZone = (context: Context, { from, to, text, against }: DiffOptions) => {
  if (against !== undefined) throw usage('--against goes with --policies.');
  return context.api.post<Diff>(
    '/policies/diff',
    { from, ...(to !== undefined && { to }), ...(text !== undefined && { text: readGiven(context, text) }) },
    { timeout_ms: context.timeout_ms ?? TIMEOUT_MS },
  );
};

async function offline(
  context: Context,
  { policies = '', against, guards, to, text }: DiffOptions,
): Promise<Diff> {
  if (to !== undefined || text !== undefined)
    throw usage('--policies compares folders; --to and --text ask a zone.');
  const { comparePolicies } = await import('@adaos/policy-engine');
  const before = await compileFolder(context, against ?? null, guards);
  const after = await compileFolder(context, policies, guards);
  const isOver = () => context.io.signal.aborted;
  return {
    from: against ?? 'guards',
    to: policies,
    ...(await comparePolicies(before, after, { ...BOUNDS, isOver })),
    faults: [],
  };
}

export const CHANGE_TONES: Readonly<Record<string, Tone>> = {
  loses: 'bad',
  gains: 'ok',
  needs_approval: 'warn',
  limits: 'warn',
  says: 'dim',
};

const COLUMNS: readonly Column<ChangeGroup>[] = [
  { title: 'WHO', cell: ({ who }) => who, min: 12 },
  { title: 'CHANGE', cell: ({ change }) => toned(CHANGE_TONES[change] ?? null, change) },
  { title: 'TOOLS', cell: ({ tools }) => tools.join(', '), min: 16 },
  {
    title: 'IN',
    cell: ({ environments }) => environments.join(', ') || toned('dim', 'any'),
    min: 4,
    drop: 4,
  },
  { title: 'SKILL', cell: ({ skill_states }) => skill_states.join(', '), min: 7, drop: 1 },
  { title: 'ONLY IF', cell: ({ variants }) => variants.join(', '), min: 8, drop: 3 },
  { title: 'AFTER', cell: ({ after }) => after, min: 8 },
  { title: 'BY', cell: ({ rules }) => rules.join(', '), min: 8, drop: 2 },
  { title: 'CALLS', cell: ({ cells }) => cells, align: 'right', drop: 0 },
];
