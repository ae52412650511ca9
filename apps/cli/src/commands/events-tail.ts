import type { StoredEvent } from '@adaos/contracts';
import type { Context } from '../context.js';
import { usage } from '../failure.js';
import { followEvents } from '../follow.js';
import { toned } from '../screen/screen.js';
import { layOut, printHeader, printRow, type Column, type Layout } from '../screen/table.js';
import { localTime, relativeTime } from '../screen/time.js';
import { stateWord } from '../screen/tones.js';
import { readListing } from '../zone-api/pages.js';

/** Milliseconds between two looks with -f, unless told. */
const EVERY_MS = 1_000;

export interface TailOptions {
  readonly follow?: boolean;
  readonly lines: number;
  /** Milliseconds. */
  readonly every?: number;
  readonly tool?: string;
  readonly target?: string;
  readonly lease?: string;
  readonly trace?: string;
  readonly type?: string;
  readonly status?: string;
  readonly since?: string;
  readonly until?: string;
}

export async function tailEvents(context: Context, options: TailOptions): Promise<void> {
  if (options.follow && options.until) throw usage('--until does not go with -f.');
  const { api, io, output } = context;
  const { tool, target, lease, trace, type, since, until, status, lines } = options;
  const query = {
    tool_id: tool,
    target_id: target,
    lease_id: lease,
    trace_id: trace,
    event_type: type,
    since,
    until,
  };
  const print = printer(context, options.follow === true);
  if (!options.follow) {
    const { items } = await readListing<StoredEvent>(api, '/audit', 'events', { ...query, status }, lines);
    return print(items.reverse());
  }
  const steps = followEvents(
    { api, io, remark: output.remark },
    { query, status, lines, every_ms: options.every ?? EVERY_MS },
  );
  try {
    for await (const events of steps) print(events);
  } catch (error) {
    // Ctrl-C is how following ends, also while it still waits for the first answer.
    if (!io.signal.aborted) throw error;
  }
}

/** Prints events as they come: a line of JSON each, or rows of one table whose columns the first ones set. */
function printer(
  { output, screen, io, json }: Context,
  follow: boolean,
): (events: readonly StoredEvent[]) => void {
  if (json) return (events) => events.forEach((event) => output.document(event));
  let layout: Layout<StoredEvent> | undefined;
  return (events) => {
    if (!layout) {
      if (!follow && !events.length) return screen.line('No such events.');
      // A relative time would be wrong a minute after it was printed; who follows sees the clock.
      const time = (iso: string) =>
        follow ? localTime(iso, io.time_zone, 'clock') : relativeTime(iso, io.now());
      layout = layOut(columns(time), events, screen.width);
      printHeader(screen, layout);
    }
    for (const event of events) printRow(screen, layout, event);
  };
}

const DECISIONS: Readonly<Record<string, string>> = { require_approval: 'approval' };

const columns = (time: (iso: string) => string): readonly Column<StoredEvent>[] => [
  { title: 'TIME', cell: (event) => toned('dim', time(event.started_at)), usual: 8 },
  { title: 'ACTOR', cell: (event) => shortActor(event), min: 8, usual: 12, cut: 'start' },
  {
    title: 'TOOL',
    cell: (event) => toned('accent', event.tool_id ?? event.event_type),
    min: 16,
    usual: 24,
    cut: 'start',
  },
  { title: 'TARGET', cell: (event) => event.target_id ?? toned('dim', '-'), min: 8, usual: 12, drop: 1 },
  { title: 'POLICY', cell: decision, usual: 6 },
  { title: 'STATUS', cell: (event) => stateWord(event.status), min: 9, usual: 9 },
  { title: 'MS', cell: (event) => milliseconds(event), align: 'right', usual: 4 },
  // Its end tells events apart, and `events show` takes it.
  {
    title: 'EVENT',
    cell: (event) => toned('dim', event.event_id),
    min: 7,
    usual: 30,
    cut: 'start',
    all_or_short: true,
  },
];

function decision({ policy_decision }: StoredEvent) {
  if (policy_decision === null) return toned('dim', '-');
  return { ...stateWord(policy_decision), text: DECISIONS[policy_decision] ?? policy_decision };
}

/** A lease by its id alone: what kind of actor it is stands in its prefix. */
const shortActor = ({ actor }: StoredEvent) =>
  actor === null ? toned('dim', 'unknown') : actor.replace(/^(mcp_session_lease|operator):/, '');

function milliseconds({ timings, finished_at }: StoredEvent) {
  const total = timings['total_ms'];
  return finished_at === null || total === undefined ? toned('dim', '-') : Math.round(total);
}
