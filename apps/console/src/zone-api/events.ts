import type { StoredEvent } from '@adaos/contracts';
import { keepPreviousData, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { isOperatorRead } from './counts.js';
import { auditQuery, type EventFilter } from './event-filter.js';
import {
  joinNewest,
  joinOlder,
  putStates,
  readNewest,
  type EventList,
  type EventPage,
} from './event-list.js';
import { every } from './every.js';
import { read } from './exchange.js';

/** Milliseconds between two looks at the record. Reading it leaves no event, so looking often is free of noise. */
export const POLL_MS = 2_000;
/** Events of a page; a look at what is new is small, since it is made often. */
const PAGE = 200;
const LOOK = 25;
/** Events besides reads by operators that make a first load worth showing. */
const WANTED = 60;
/** Running calls looked up again at each refresh, beyond those on the newest page. */
const MAX_OPEN = 3;

const eventsKey = (filter: EventFilter) => ['events', filter] as const;

/**
 * The record as it grows, newest first; `polls` looks again every two seconds while the tab can be seen. Who reads the same filter as one
 * that polls need not poll too: there is one list per filter.
 */
export function useEvents(filter: EventFilter, { polls }: { polls: boolean }) {
  const client = useQueryClient();
  return useQuery({
    queryKey: eventsKey(filter),
    queryFn: ({ signal }) => refresh(client, filter, signal),
    refetchInterval: polls ? every(POLL_MS) : false,
    refetchIntervalInBackground: false,
    staleTime: polls ? 0 : POLL_MS,
    // The next look comes soon anyway.
    retry: false,
    // While another filter loads, the list before stays in place.
    placeholderData: keepPreviousData,
  });
}

async function refresh(client: QueryClient, filter: EventFilter, signal: AbortSignal): Promise<EventList> {
  const key = eventsKey(filter);
  const known = new Set(client.getQueryData<EventList>(key)?.events.map(({ event_id }) => event_id));
  const fresh = await readNewest(
    known,
    (cursor) => readPage(filter, cursor, known.size > 0 && cursor === null ? LOOK : PAGE, signal),
    (events) => events.filter((event) => !isOperatorRead(event)).length >= WANTED,
  );
  // Read again: an older page may have been put behind it meanwhile.
  const list = joinNewest(client.getQueryData<EventList>(key), fresh);
  return putStates(list, await laterStates(list, fresh.events, signal));
}

const readPage = (filter: EventFilter, cursor: string | null, limit: number, signal?: AbortSignal) =>
  read<EventPage>(`/audit?${auditQuery(filter, limit, cursor)}`, { signal });

/** A write shows as running until its outcome is recorded; by then it may have left the newest page. */
async function laterStates(
  list: EventList,
  fresh: readonly StoredEvent[],
  signal: AbortSignal,
): Promise<StoredEvent[]> {
  const read_now = new Set(fresh.map(({ event_id }) => event_id));
  const open = list.events.filter((e) => e.status === 'open' && !read_now.has(e.event_id)).slice(0, MAX_OPEN);
  return Promise.all(open.map(async ({ event_id }) => (await readEvent(event_id, signal)).event));
}

const readEvent = (event_id: string, signal?: AbortSignal) =>
  read<{ event: StoredEvent }>(`/audit/${encodeURIComponent(event_id)}`, { signal });

/** Puts one older page behind the list of a filter. */
export function useOlderEvents(filter: EventFilter) {
  const client = useQueryClient();
  const [state, setState] = useState<{ loading: boolean; error: unknown }>({ loading: false, error: null });
  const load = useCallback(async () => {
    const cursor = client.getQueryData<EventList>(eventsKey(filter))?.next_cursor;
    if (!cursor) return;
    setState({ loading: true, error: null });
    try {
      const older = await readPage(filter, cursor, PAGE);
      client.setQueryData<EventList>(eventsKey(filter), (known) => known && joinOlder(known, older));
      setState({ loading: false, error: null });
    } catch (error) {
      setState({ loading: false, error });
    }
  }, [client, filter]);
  return { ...state, load };
}

/** One event by id: from what is loaded if it is there and over, else from the zone. */
export function useEvent(event_id: string, loaded: StoredEvent | undefined) {
  const settled = loaded !== undefined && loaded.status !== 'open';
  return useQuery({
    queryKey: ['event', event_id],
    queryFn: async ({ signal }) => (await readEvent(event_id, signal)).event,
    enabled: !settled,
    ...(loaded && { placeholderData: loaded }),
    // A running call is watched until its outcome is there.
    refetchInterval: ({ state }) => (state.data?.status === 'open' ? POLL_MS : false),
    select: (event) => (settled ? loaded : event),
  });
}
