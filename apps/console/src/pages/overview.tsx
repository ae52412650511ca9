import { EventTable } from '../events/event-table.js';
import { Troubles } from '../events/troubles.js';
import { LeaseTile, OutcomeTiles, TargetTile } from '../overview/tiles.js';
import { Link } from '../parts/link.js';
import { Page, Panel } from '../parts/page.js';
import { Empty, FailureNote, Loading } from '../parts/states.js';
import { href } from '../route.js';
import { isOperatorRead, outcomesOf } from '../zone-api/counts.js';
import { useEvents } from '../zone-api/events.js';
import { useFoundation } from '../zone-api/zone.js';

const NEWEST = 12;

/** The zone at a glance: is it well, who has a lease, what happened, what went wrong. */
export function OverviewPage() {
  // The shell polls this list.
  const { data, error, refetch } = useEvents({}, { polls: false });
  const foundation = useFoundation().data;
  const events = data?.events.filter((event) => !isOperatorRead(event));
  return (
    <Page
      title={foundation ? `Zone ${foundation.zone}` : 'Zone'}
      aside={
        foundation && (
          <p className="page-note">
            build {foundation.build.version} · {foundation.build.commit} · {foundation.counts.tools} tools
          </p>
        )
      }
    >
      <div className="tiles">
        <TargetTile />
        <LeaseTile />
        <OutcomeTiles outcomes={events ? outcomesOf(events) : error ? null : undefined} />
      </div>
      {error && !data && (
        <FailureNote title="The record could not be read." error={error} retry={() => void refetch()} />
      )}
      <div className="overview">
        <Panel title="Newest events" aside={<Link to={href(['events'])}>All events</Link>}>
          {!events && !error && <Loading what="events" lines={8} />}
          {events?.length === 0 && (
            <Empty title="Nothing has happened yet.">
              <Link to={href(['leases', 'new'])}>Issue a lease</Link> and connect a client.
            </Empty>
          )}
          {events && events.length > 0 && (
            <EventTable
              short
              events={events.slice(0, NEWEST)}
              linkTo={(event_id) => href(['events'], { event: event_id })}
            />
          )}
        </Panel>
        <Panel title="Denied or failed lately">
          {events ? <Troubles events={events} /> : <Loading what="denials" />}
        </Panel>
      </div>
    </Page>
  );
}
