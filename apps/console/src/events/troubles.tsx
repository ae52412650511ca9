import type { StoredEvent } from '@adaos/contracts';
import { Badge } from '../parts/badge.js';
import { Link } from '../parts/link.js';
import { Empty } from '../parts/states.js';
import { Code, Text, Time } from '../parts/words.js';
import { href } from '../route.js';
import { adviceFor } from '../text/advice.js';
import { EVENT_LOOKS, lookOf } from '../text/looks.js';
import { troublesOf } from '../zone-api/counts.js';

const SHOWN = 6;

/** What went wrong lately, once per kind, each with its reason: the answer is one click from the first page. */
export function Troubles({ events }: { events: readonly StoredEvent[] }) {
  const troubles = troublesOf(events, SHOWN);
  if (troubles.length === 0) return <Empty title="Nothing was denied, nothing failed." />;
  return (
    <ul className="troubles">
      {troubles.map(({ event, times }) => (
        <li key={event.event_id}>
          <p className="trouble-head">
            <Badge look={lookOf(EVENT_LOOKS, event.status)} />
            {event.tool_id === null ? <Text>{event.event_type}</Text> : <Code>{event.tool_id}</Code>}
          </p>
          <p>
            {event.error
              ? adviceFor(event.error.code, event.determining_rules).why
              : 'No reason was recorded.'}
          </p>
          <p className="trouble-foot">
            <Link to={href(['events'], { event: event.event_id })}>
              {event.status === 'denied' ? 'Why, and what to do' : 'What happened, and what to do'}
              <span className="unseen"> about {event.tool_id ?? event.event_type}</span>
            </Link>
            <span className="hint">
              {times > 1 && `${times} times, last `}
              <Time at={event.started_at} />
            </span>
          </p>
        </li>
      ))}
    </ul>
  );
}
