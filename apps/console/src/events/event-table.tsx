import type { StoredEvent } from '@adaos/contracts';
import { Badge } from '../parts/badge.js';
import { Link } from '../parts/link.js';
import { Table, type Column } from '../parts/table.js';
import { Code, None, Text, Time } from '../parts/words.js';
import { actorWords } from '../text/ids.js';
import { DECISION_LOOKS, EVENT_LOOKS, lookOf } from '../text/looks.js';
import { sayMs } from '../text/time.js';

interface EventTableProps {
  readonly events: readonly StoredEvent[];
  /** Where a row leads. */
  readonly linkTo: (event_id: string) => string;
  readonly current?: string | null;
  /** The short form leaves out what the panel tells. */
  readonly short?: boolean;
}

/** What happened, newest first. The whole row is the link of its time. */
export function EventTable({ events, linkTo, current, short }: EventTableProps) {
  const columns: Column<StoredEvent>[] = [
    {
      name: 'Time',
      className: 'cell-time',
      cell: ({ event_id, started_at }) => (
        <Link className="row-link" to={linkTo(event_id)} id={`open-${event_id}`}>
          <Time at={started_at} as={short ? 'relative' : 'clock'} />
        </Link>
      ),
    },
    { name: 'Status', className: 'cell-status', cell: (event) => <Status event={event} /> },
    { name: 'Tool', className: 'cell-tool', cell: (event) => <Tool event={event} /> },
    {
      name: 'Target',
      className: 'cell-target',
      cell: ({ target_id }) => (target_id === null ? <None /> : <Text>{target_id}</Text>),
    },
    { name: 'Actor', className: 'cell-actor', cell: (event) => <Actor event={event} /> },
    {
      name: 'Decision',
      className: 'cell-decision',
      cell: ({ policy_decision: made }) => <Decision made={made} />,
    },
    { name: 'Took', className: 'cell-number', cell: (event) => <Took event={event} /> },
  ];
  const shown = short ? columns.filter(({ name }) => name !== 'Decision' && name !== 'Took') : columns;
  return (
    <Table
      caption="Events, newest first"
      className={short ? 'event-table event-table-short' : 'event-table'}
      columns={shown}
      rows={events}
      keyOf={({ event_id }) => event_id}
      current={current}
    />
  );
}

const Status = ({ event: { status, error } }: { event: StoredEvent }) => (
  <>
    <Badge look={lookOf(EVENT_LOOKS, status)} />
    {error && (
      <span className="cell-code">
        <Code>{error.code}</Code>
      </span>
    )}
  </>
);

/** An event that is no call of a tool is told by its kind. */
const Tool = ({ event: { tool_id, event_type, dry_run } }: { event: StoredEvent }) => (
  <>
    {tool_id === null ? <Text>{event_type}</Text> : <Code>{tool_id}</Code>}
    {dry_run && <span className="cell-note">dry run</span>}
  </>
);

function Actor({ event }: { event: StoredEvent }) {
  const words = actorWords(event);
  return words === null ? <None>nobody known</None> : <Text>{words}</Text>;
}

const Decision = ({ made }: { made: StoredEvent['policy_decision'] }) =>
  made === null ? <None>not asked</None> : <>{DECISION_LOOKS[made].label}</>;

const Took = ({ event: { timings } }: { event: StoredEvent }) =>
  timings['total_ms'] === undefined ? <None /> : <>{sayMs(timings['total_ms'])}</>;
