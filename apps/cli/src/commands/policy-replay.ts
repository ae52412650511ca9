import type { PolicyFault } from '@adaos/policy-engine';
import type { Context } from '../context.js';
import { toned } from '../screen/screen.js';
import { printTable, type Column } from '../screen/table.js';
import { CHANGE_TONES } from './policy-diff.js';
import { checkFaults, readGiven } from './policy-files.js';

export interface ReplayOptions {
  readonly since: string;
  readonly until?: string;
  readonly text?: string;
  readonly versionId?: string;
  readonly limit: number;
}

interface Group {
  readonly change: string;
  readonly tool_id: string | null;
  readonly target_id: string | null;
  readonly profile: string;
  readonly before: string;
  readonly after: string;
  readonly rules: readonly string[];
  readonly calls: number;
  readonly event_ids: readonly string[];
}

interface Replayed {
  readonly revision: string;
  readonly replayed: number;
  readonly not_replayable: number;
  readonly changed: number;
  readonly complete: boolean;
  readonly groups: readonly Group[];
  readonly faults: readonly PolicyFault[];
}

/** Milliseconds a zone may take for it; longer than its own limit. */
const TIMEOUT_MS = 45_000;

export async function replayDecisions(context: Context, options: ReplayOptions): Promise<void> {
  const { api, json, output, screen, timeout_ms } = context;
  const { since, until, text, versionId: version_id, limit } = options;
  const replayed = await api.post<Replayed>(
    '/policies/replay',
    {
      since,
      limit,
      ...(until !== undefined && { until }),
      ...(version_id !== undefined && { version_id }),
      ...(text !== undefined && { text: readGiven(context, text) }),
    },
    { timeout_ms: timeout_ms ?? TIMEOUT_MS },
  );
  checkFaults(replayed.faults);
  if (json) return output.document(replayed);
  screen.wrapped([
    `${replayed.replayed} recorded calls decided again:`,
    replayed.changed
      ? toned('warn', `${replayed.changed} would come out otherwise`)
      : toned('ok', 'all would come out as they did'),
  ]);
  if (replayed.groups.length) {
    screen.line();
    printTable(screen, COLUMNS, replayed.groups);
  }
  if (replayed.not_replayable)
    output.remark(
      `${replayed.not_replayable} more were decided by facts that this build can not make again.`,
    );
  if (!replayed.complete) output.remark('Not all of the range: there are more calls than were replayed.');
}

const COLUMNS: readonly Column<Group>[] = [
  { title: 'CHANGE', cell: ({ change }) => toned(CHANGE_TONES[change] ?? null, change) },
  { title: 'TOOL', cell: ({ tool_id }) => tool_id ?? '', min: 14 },
  { title: 'TARGET', cell: ({ target_id }) => target_id ?? '', min: 8 },
  { title: 'PROFILE', cell: ({ profile }) => profile, min: 10, drop: 2 },
  { title: 'WAS', cell: ({ before }) => before, min: 8, drop: 1 },
  { title: 'WOULD BE', cell: ({ after }) => after, min: 8 },
  { title: 'BY', cell: ({ rules }) => rules.join(', '), min: 8, drop: 3 },
  { title: 'CALLS', cell: ({ calls }) => calls, align: 'right' },
  { title: 'SUCH AS', cell: ({ event_ids }) => event_ids[0] ?? '', drop: 0 },
];
