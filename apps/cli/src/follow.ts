import type { StoredEvent } from '@adaos/contracts';
import { Failure } from './failure.js';
import type { Io } from './io.js';
import type { Api } from './zone-api/api.js';
import { readListing, readPage } from './zone-api/pages.js';
import { path, type Query } from './zone-api/path.js';

export interface FollowDeps {
  readonly api: Api;
  readonly io: Pick<Io, 'signal' | 'sleep' | 'now'>;
  readonly remark: (text: string) => void;
}

export interface FollowOptions {
  /** Filters on what of an event never changes; the zone applies them. */
  readonly query: Query;
  /** An outcome comes after its event: filtered here, or an open event that ends so would be missed. */
  readonly status?: string;
  /** How many of the past first. */
  readonly lines: number;
  readonly every_ms: number;
}

/** Milliseconds an event met while open is asked for again. */
const WATCH_MS = 15 * 60_000;
const OPEN_LIMIT = 200;
const MAX_PAUSE_MS = 15_000;
const TRANSIENT = new Set(['rate_limited', 'concurrency_limited', 'deadline_exceeded', 'internal']);

/**
 * The last events, then each new one, in the order of the record. Every look reads from the newest back to the last event seen: start
 * times can't be used for that, since a long call is recorded after shorter ones that began later, and a lease is not told `seq`. An event met while open comes again
 * when it has its outcome. Ends when the program is interrupted; a zone that goes away meanwhile is waited for.
 */
export async function* followEvents(
  deps: FollowDeps,
  options: FollowOptions,
): AsyncGenerator<readonly StoredEvent[]> {
  const { api, io, remark } = deps;
  const { query, status, every_ms } = options;
  const wanted = (events: readonly StoredEvent[]) =>
    events.filter((event) => status === undefined || event.status === status);
  const state = await begin(deps, options);
  yield state.past;
  let pause = every_ms;
  for (;;) {
    await io.sleep(pause);
    if (io.signal.aborted) return;
    try {
      const fresh = await newerThan(api, query, state.last_id);
      if (pause !== every_ms) remark('The zone answers again.');
      pause = every_ms;
      state.last_id = fresh.at(-1)?.event_id ?? state.last_id;
      for (const event of fresh) watch(state.open, event, io.now());
      if (fresh.length) yield wanted(fresh);
      for (const event_id of [...state.open.keys()]) {
        const outcome = await outcomeOf(deps, state.open, event_id);
        if (outcome) yield wanted([outcome]);
      }
    } catch (error) {
      if (io.signal.aborted) return;
      if (!(error instanceof Failure) || !(error.kind === 'away' || TRANSIENT.has(error.facts.code)))
        throw error;
      if (pause === every_ms) remark(`${error.message} Waiting for it.`);
      pause = Math.min(Math.max(pause * 2, every_ms + 1), Math.max(MAX_PAUSE_MS, every_ms + 1));
    }
  }
}

/** What was seen of an event whose outcome, or later outcome, is still to come. */
interface Watched {
  readonly phase: StoredEvent['phase'];
  readonly until: number;
}
type Open = Map<string, Watched>;

interface FollowState {
  past: readonly StoredEvent[];
  /** The newest event seen; null while there is none. */
  last_id: string | null;
  readonly open: Open;
}

/** The mark first, then what is open, then the past up to the mark: what happens in between comes by the first look. */
async function begin({ api, io }: FollowDeps, { query, status, lines }: FollowOptions): Promise<FollowState> {
  const newest = await readPage<StoredEvent>(api, '/audit', 'events', { ...query, limit: 1 });
  const last_id = newest.items[0]?.event_id ?? null;
  const open: Open = new Map();
  const still_open = await readListing<StoredEvent>(
    api,
    '/audit',
    'events',
    { ...query, status: 'open' },
    OPEN_LIMIT,
  );
  const past = await readListing<StoredEvent>(api, '/audit', 'events', { ...query, status }, lines);
  const later = new Set((await newerThan(api, query, last_id)).map(({ event_id }) => event_id));
  const seen = (events: readonly StoredEvent[]) => events.filter(({ event_id }) => !later.has(event_id));
  for (const event of seen(still_open.items)) watch(open, event, io.now());
  const shown = seen(past.items).reverse();
  for (const event of shown) watch(open, event, io.now());
  return { past: shown, last_id, open };
}

/** Events after the one named, oldest first; all there are when none is. */
async function newerThan(api: Api, query: Query, last_id: string | null): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: { items: StoredEvent[]; next_cursor: string | null } = await readPage<StoredEvent>(
      api,
      '/audit',
      'events',
      {
        ...query,
        limit: 200,
        ...(cursor !== null && { cursor }),
      },
    );
    for (const event of page.items) {
      if (event.event_id === last_id) return found.reverse();
      found.push(event);
    }
    if (page.next_cursor === null || !page.items.length) return found.reverse();
    cursor = page.next_cursor;
  }
}

/** Notes what is to be asked again: an open event has its outcome to come, a timed out one perhaps the hub's later word. */
function watch(open: Open, { event_id, phase, status }: StoredEvent, now: number): void {
  if (phase === 'opened' || (phase === 'closed' && status === 'timed_out')) {
    open.set(event_id, { phase, until: open.get(event_id)?.until ?? now + WATCH_MS });
  } else open.delete(event_id);
}

/** The event once more when its phase has changed, else null. */
async function outcomeOf({ api, io }: FollowDeps, open: Open, event_id: string): Promise<StoredEvent | null> {
  const before = open.get(event_id);
  const event = await find(api, event_id);
  if (!before || !event || io.now() > before.until) open.delete(event_id);
  if (!before || !event || event.phase === before.phase) return null;
  watch(open, event, io.now());
  return event;
}

async function find(api: Api, event_id: string): Promise<StoredEvent | null> {
  try {
    return (await api.get<{ event: StoredEvent }>(path`/audit/${event_id}`)).event;
  } catch (error) {
    if (error instanceof Failure && error.facts.code === 'target_not_found') return null;
    throw error;
  }
}
