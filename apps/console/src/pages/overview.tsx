import type { ManagedTarget, SessionLease } from '@adaos/contracts';
import type { ReactNode } from 'react';
import { EventTable } from '../events/event-table.js';
import { Troubles } from '../events/troubles.js';
import { Badge } from '../parts/badge.js';
import { Link } from '../parts/link.js';
import { Page, Panel } from '../parts/page.js';
import { Empty, FailureNote, Loading } from '../parts/states.js';
import { Time } from '../parts/words.js';
import { href } from '../route.js';
import { TARGET_LOOKS } from '../text/looks.js';
import { isOperatorRead, outcomesOf, type Outcomes } from '../zone-api/counts.js';
import { useEvents } from '../zone-api/events.js';
import { useFoundation, useLeases, useTargets } from '../zone-api/zone.js';

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
        {events && <OutcomeTiles {...outcomesOf(events)} />}
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

const Tile = ({
  name,
  to,
  value,
  children,
}: {
  name: string;
  to: string;
  value: ReactNode;
  children?: ReactNode;
}) => (
  <Link className="tile" to={to}>
    <span className="tile-name">{name}</span>
    <span className="tile-value">{value}</span>
    <span className="tile-note">{children}</span>
  </Link>
);

function TargetTile() {
  const { data, error } = useTargets();
  const counts = Object.entries(TARGET_LOOKS).flatMap(([status, look]) => {
    const count = data?.filter((target: ManagedTarget) => target.status === status).length ?? 0;
    return count === 0 ? [] : [{ status, look: { ...look, label: `${count} ${look.label}` } }];
  });
  return (
    <Tile name="Targets" to={href(['targets'])} value={data?.length ?? '–'}>
      {error && 'could not be read'}
      {data?.length === 0 && 'none registered'}
      {counts.map(({ status, look }) => (
        <Badge key={status} look={look} />
      ))}
    </Tile>
  );
}

function LeaseTile() {
  const { data, error } = useLeases({ status: 'active' });
  const leases = data?.pages.flatMap(({ sessions }) => sessions);
  const more = data?.pages.at(-1)?.next_cursor ? '+' : '';
  const next = leases?.map(({ deadline_at }: SessionLease) => deadline_at).sort()[0];
  return (
    <Tile
      name="Active leases"
      to={href(['leases'], { status: 'active' })}
      value={leases ? `${leases.length}${more}` : '–'}
    >
      {error && 'could not be read'}
      {leases?.length === 0 && 'nobody has access'}
      {next && (
        <>
          the next one ends <Time at={next} />
        </>
      )}
    </Tile>
  );
}

const OutcomeTiles = ({ calls, succeeded, denied, failed, other }: Outcomes) => (
  <>
    <Tile name="Newest calls" to={href(['events'])} value={calls}>
      <span className="outcome-bar" aria-hidden="true">
        {[succeeded, denied, failed, other].map((count, index) => (
          <span key={index} className={`outcome outcome-${index}`} style={{ flexGrow: count }} />
        ))}
      </span>
      {succeeded} went well
    </Tile>
    <Tile name="Denied" to={href(['events'], { status: 'denied' })} value={denied}>
      {denied === 0 ? 'none of these' : `of these ${calls}: see why`}
    </Tile>
    <Tile name="Failed" to={href(['events'], { status: 'failed' })} value={failed}>
      {failed === 0 ? 'none of these' : `of these ${calls}: see why`}
    </Tile>
  </>
);
