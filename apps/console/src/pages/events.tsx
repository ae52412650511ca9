import { useEffect, useMemo } from 'react';
import { EventPanel } from '../events/event-panel.js';
import { EventTable } from '../events/event-table.js';
import { Filters } from '../events/filters.js';
import { Link } from '../parts/link.js';
import { More } from '../parts/more.js';
import { Page } from '../parts/page.js';
import { Empty, FailureNote, Loading } from '../parts/states.js';
import { go, href, type Query } from '../route.js';
import { isOperatorRead } from '../zone-api/counts.js';
import { filterOf, type EventFilter } from '../zone-api/event-filter.js';
import { useEvents, useOlderEvents } from '../zone-api/events.js';

/** What happened: every call and refusal of the zone, narrowed by the URL, one opened beside the list. */
export function EventsPage({ query }: { query: URLSearchParams }) {
  const text = query.toString();
  const { filter, event_id, reads } = useMemo(() => stateOf(new URLSearchParams(text)), [text]);
  const filtered = Object.keys(filter).length > 0;
  // Without a filter it is the list that the shell keeps anyway.
  const { data, error, isPlaceholderData, refetch } = useEvents(filter, { polls: filtered });
  const older = useOlderEvents(filter);

  const urlWith = (change: Query) =>
    href(['events'], { ...filter, reads, event: event_id ?? undefined, ...change });
  const closeTo = urlWith({ event: undefined });
  useCloseOnEscape(event_id, closeTo);

  const events = data?.events ?? [];
  // Asked for one tool, status, lease or trace, an operator wants all of it.
  const exact = Boolean(filter.tool ?? filter.status ?? filter.lease ?? filter.trace);
  const hides = reads !== 'show' && !exact;
  const shown = hides ? events.filter((event) => !isOperatorRead(event)) : events;
  const hidden = events.length - shown.length;

  return (
    <Page title="Events">
      <div className={event_id ? 'events events-open' : 'events'}>
        <div className="events-list">
          <Filters
            filter={filter}
            onChange={(change: EventFilter) => go(urlWith({ ...change, event: undefined }))}
          />
          <p className="events-line">
            {data && <>{shown.length} shown</>}
            {hidden > 0 && (
              <>
                , {hidden} operator reads left out (<Link to={urlWith({ reads: 'show' })}>show them</Link>)
              </>
            )}
            {reads === 'show' && !exact && (
              <>
                , operator reads among them (<Link to={urlWith({ reads: undefined })}>leave them out</Link>)
              </>
            )}
            {filtered && (
              <>
                {data && ' · '}
                <Link to={href(['events'], { event: event_id ?? undefined })}>Clear filters</Link>
              </>
            )}
          </p>
          {error && (
            <FailureNote title="The record could not be read." error={error} retry={() => void refetch()} />
          )}
          {!data && !error && <Loading what="events" lines={10} />}
          {data && shown.length === 0 && (
            <Empty title={filtered ? 'Nothing in the record matches.' : 'Nothing has happened yet.'}>
              {filtered
                ? 'Clear a filter, or look further back.'
                : 'The first call of a client will show here.'}
            </Empty>
          )}
          {shown.length > 0 && (
            <div className={isPlaceholderData ? 'fading' : undefined}>
              <EventTable events={shown} current={event_id} linkTo={(id) => urlWith({ event: id })} />
            </div>
          )}
          {older.error !== null && (
            <FailureNote title="Older events could not be read." error={older.error} />
          )}
          {data?.next_cursor && <More of="events" loading={older.loading} load={older.load} />}
        </div>
        {event_id && (
          <EventPanel
            event_id={event_id}
            loaded={events.find((event) => event.event_id === event_id)}
            closeTo={closeTo}
          />
        )}
      </div>
    </Page>
  );
}

const stateOf = (query: URLSearchParams) => ({
  filter: filterOf(query),
  event_id: query.get('event'),
  reads: query.get('reads') === 'show' ? 'show' : undefined,
});

/** Escape closes the panel and gives the focus back to its row. */
function useCloseOnEscape(event_id: string | null, closeTo: string): void {
  useEffect(() => {
    if (event_id === null) return undefined;
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      go(closeTo);
      requestAnimationFrame(() => document.getElementById(`open-${event_id}`)?.focus());
    };
    window.addEventListener('keydown', close);
    return () => window.removeEventListener('keydown', close);
  }, [event_id, closeTo]);
}
