import type { StoredEvent } from '@adaos/contracts';

/** Events as loaded, newest first, each once. */
export interface EventList {
  readonly events: readonly StoredEvent[];
  /** Cursor for what is older than the last one; null at the start of the record. */
  readonly next_cursor: string | null;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  readonly next_cursor: string | null;
}

/** Events kept in memory; a tab that stays open for days begins anew at the newest page. */
export const MAX_EVENTS = 2_000;

export type ReadPage = (cursor: string | null) => Promise<EventPage>;
/** Is there enough to show on a first load? */
export type Enough = (events: readonly StoredEvent[]) => boolean;

/** Pages that one refresh reads at most to close the gap to what is known. */
const MAX_PAGES = 4;

/**
 * The newest events that are not in `known`, page by page until one is; `joined: false` when that took too many pages. Pages are
 * ordered by first record, so an event never moves and one known entry means that all behind it are known too.
 */
export async function readNewest(
  known: ReadonlySet<string>,
  readPage: ReadPage,
  enough: Enough,
): Promise<EventList & { joined: boolean }> {
  const events: StoredEvent[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: EventPage = await readPage(cursor);
    events.push(...answer.events);
    cursor = answer.next_cursor;
    if (answer.events.some(({ event_id }) => known.has(event_id)))
      return { events, next_cursor: cursor, joined: true };
    if (cursor === null || (known.size === 0 && enough(events))) break;
  }
  return { events, next_cursor: cursor, joined: cursor === null };
}

/** Puts what was read before what is known. What could not be joined replaces it: a list with a hole would lie. */
export function joinNewest(known: EventList | undefined, fresh: EventList & { joined: boolean }): EventList {
  const { events, next_cursor } = fresh;
  if (!known || !fresh.joined || known.events.length > MAX_EVENTS) return { events, next_cursor };
  const read = new Set(events.map(({ event_id }) => event_id));
  const behind = known.events.filter(({ event_id }) => !read.has(event_id));
  // Read beyond what was known: the cursor of the page is the further one.
  return {
    events: [...events, ...behind],
    next_cursor: behind.length > 0 ? known.next_cursor : next_cursor,
  };
}

/** Puts an older page behind what is known. */
export function joinOlder(known: EventList, older: EventPage): EventList {
  const have = new Set(known.events.map(({ event_id }) => event_id));
  return {
    events: [...known.events, ...older.events.filter(({ event_id }) => !have.has(event_id))],
    next_cursor: older.next_cursor,
  };
}

/** Puts later states of known events in their places. */
export function putStates(known: EventList, states: readonly StoredEvent[]): EventList {
  const by_id = new Map(states.map((event) => [event.event_id, event]));
  return { ...known, events: known.events.map((event) => by_id.get(event.event_id) ?? event) };
}
