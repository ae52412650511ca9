import type { OperationalEvent } from '@adaos/contracts';
import type { Clock, Ids, Log, Recorder } from '@adaos/runtime';
import { draftEvent, type EventDraft } from './draft.js';
import type { Source } from './refusals.js';

/** Milliseconds between two summaries. */
const SUMMARY_MS = 60_000;
/** Sources with a summary of their own; the refusals of more are summed up in one. */
const MAX_SOURCES = 200;

export interface RefusalTally {
  /** One more refusal without an event of its own. */
  count(source: Source, event: OperationalEvent): void;
  /** Writes what was counted so far. What can't be written now stays counted. */
  flush(): Promise<void>;
  /** Ends the timer and writes the rest. */
  stop(): Promise<void>;
}

interface Deps {
  readonly zone: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly recorder: Pick<Recorder, 'recordOrSpool'>;
}

interface Counted {
  /** The first of them, for whose they were. Null when they are of many. */
  readonly first: OperationalEvent | null;
  readonly since: string;
  total: number;
  readonly codes: Map<string, number>;
}

/** Counts refusals that have no event of their own and tells each minute, per source and kind of failure, how many there were. */
export function createRefusalTally(deps: Deps): RefusalTally {
  const { clock, log, recorder } = deps;
  let counted = new Map<string, Counted>();

  const entryOf = (map: Map<string, Counted>, name: string, first: OperationalEvent | null): Counted => {
    const known = map.get(name);
    if (known) return known;
    const entry = { first, since: clock.iso(), total: 0, codes: new Map<string, number>() };
    map.set(name, entry);
    return entry;
  };
  const add = (entry: Counted, code: string, times: number) => {
    entry.total += times;
    entry.codes.set(code, (entry.codes.get(code) ?? 0) + times);
  };

  async function flush(): Promise<void> {
    const due = counted;
    counted = new Map();
    await Promise.all(
      [...due].map(([name, entry]) =>
        recorder.recordOrSpool(summaryOf(deps, name, entry)).catch(() => {
          log.warn({ refused: entry.total }, 'a summary of refusals was not recorded and stays counted');
          const kept = entryOf(counted, name, entry.first);
          for (const [code, times] of entry.codes) add(kept, code, times);
        }),
      ),
    );
  }
  const cancel = clock.every(SUMMARY_MS, () => void flush());

  return {
    count({ kind, key }, event) {
      const own = `${kind}:${key}`;
      const room = counted.has(own) || counted.size < MAX_SOURCES;
      const entry = room ? entryOf(counted, own, event) : entryOf(counted, `${kind}:`, null);
      add(entry, event.error?.code ?? 'internal', 1);
    },
    flush,
    async stop() {
      cancel();
      await flush();
    },
  };
}

const MANY = { name: '', version: '', via: 'nats', address: 'many' } as const;

/** One event for all of them. It names whose they were, how many by code, and from when to when. */
function summaryOf(deps: Deps, name: string, { first, since, total, codes }: Counted): OperationalEvent {
  const client = (first?.client ?? MANY) as Parameters<typeof draftEvent>[2]['client'];
  const draft: EventDraft = name.startsWith('address:')
    ? draftEvent(deps, 'auth.denied.counted', { client })
    : draftEvent(deps, 'call.denied.counted', { client });
  if (first !== null && !name.startsWith('address:')) {
    const { actor, lease_id, auth_method, subnet_id, target_id } = first;
    Object.assign(draft.event, { actor, lease_id, auth_method, subnet_id, target_id });
  }
  draft.event.started_at = since;
  draft.close('denied', {
    code: 'rate_limited',
    message: `${total} more refusals of this source have no event of their own.`,
  });
  draft.event.result_summary = { refused: total, codes: Object.fromEntries(codes) };
  return draft.event;
}
