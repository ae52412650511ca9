import type { StoredEvent } from '@adaos/contracts';
import { useEffect, useRef, type ReactNode } from 'react';
import { Badge } from '../parts/badge.js';
import { Copyable } from '../parts/copy.js';
import { Icon } from '../parts/icon.js';
import { Link } from '../parts/link.js';
import { Facts } from '../parts/page.js';
import { FailureNote, Loading } from '../parts/states.js';
import { Code, None, Text, Time } from '../parts/words.js';
import { href } from '../route.js';
import { isLeaseId } from '../text/ids.js';
import { DECISION_LOOKS, EVENT_LOOKS, lookOf } from '../text/looks.js';
import { printableJson } from '../text/printable.js';
import { useEvent } from '../zone-api/events.js';
import { TimingBar } from './timing-bar.js';
import { Why } from './why.js';

interface EventPanelProps {
  readonly event_id: string;
  readonly loaded: StoredEvent | undefined;
  readonly closeTo: string;
}

/** One event: what was asked, by whom, what was decided and why, what came of it. */
export function EventPanel({ event_id, loaded, closeTo }: EventPanelProps) {
  const { data, error, refetch } = useEvent(event_id, loaded);
  const event = data ?? loaded;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, [event_id]);
  return (
    <aside className="event-panel" aria-label="One event">
      <header className="event-panel-head">
        <h2 ref={heading} tabIndex={-1}>
          {event ? <Text>{event.tool_id ?? event.event_type}</Text> : 'Event'}
        </h2>
        <Link className="button button-plain" to={closeTo} aria-label="Close the event">
          <Icon name="close" />
        </Link>
      </header>
      {event ? (
        <Details event={event} />
      ) : error ? (
        <FailureNote title="The event could not be read." error={error} retry={() => void refetch()} />
      ) : (
        <Loading what="the event" lines={6} />
      )}
    </aside>
  );
}

function Details({ event }: { event: StoredEvent }) {
  return (
    <>
      <p className="event-panel-status">
        <Badge look={lookOf(EVENT_LOOKS, event.status)} />
        {event.dry_run && <span className="tag">dry run</span>}
        <Time at={event.started_at} />
      </p>
      <Why event={event} />
      <Asked event={event} />
      <Part title="Who asked">
        <Facts
          rows={[
            ['Actor', textOr(event.actor, 'nobody known')],
            ['Signed in by', textOr(event.auth_method)],
            ['Lease', isLeaseId(event.lease_id) ? leaseLink(event.lease_id) : textOr(event.lease_id)],
            ['Client', <Text key="client">{clientWords(event.client)}</Text>],
            ['Subnet', textOr(event.subnet_id)],
          ]}
        />
      </Part>
      <Decision event={event} />
      <Part title="Time">
        <TimingBar timings={event.timings} />
      </Part>
      <Part title="Masked">
        {event.redactions.length === 0 ? (
          <p className="hint">Nothing in the answer had to be masked.</p>
        ) : (
          <Facts rows={event.redactions.map(({ rule, count }) => [rule, `${count} ×`])} />
        )}
      </Part>
      <Part title="Record">
        <Facts
          rows={[
            ['Event', <Code key="event">{event.event_id}</Code>],
            ['Place in the chain', event.seq],
            ['Trace', traceLink(event.trace_id)],
            ['Request', <Code key="request">{event.request_id}</Code>],
          ]}
        />
        <details>
          <summary>Raw JSON</summary>
          <Copyable name="JSON" text={printableJson(event)} />
        </details>
      </Part>
    </>
  );
}

const Asked = ({ event }: { event: StoredEvent }) => {
  const { arguments_redacted: args, side_effect_class, target_id } = event;
  const given = args !== null && Object.keys(args).length > 0;
  return (
    <Part title="What was asked">
      <Facts
        rows={[
          ['Tool', event.tool_id === null ? <None /> : <Code>{event.tool_id}</Code>],
          [
            'Target',
            target_id === null ? <None /> : <Link to={href(['targets', target_id])}>{target_id}</Link>,
          ],
          ['Changes', textOr(side_effect_class?.replace('_', ' ') ?? null)],
        ]}
      />
      {args === null && event.tool_id !== null && (
        <p className="hint">The arguments were not read: the call ended before that.</p>
      )}
      {given && (
        <pre className="json" tabIndex={0} aria-label="Arguments, secrets masked">
          {printableJson(args)}
        </pre>
      )}
    </Part>
  );
};

const Decision = ({ event }: { event: StoredEvent }) => {
  const { policy_decision: made, determining_rules: rules } = event;
  return (
    <Part title="Decision">
      {made === null && (
        <p className="hint">Policy was not asked: the request ended before it got that far.</p>
      )}
      {made !== null && (
        <Facts
          rows={[
            ['Policy', <Badge key="made" look={DECISION_LOOKS[made]} />],
            [
              'Determining rules',
              rules.length === 0 ? <None /> : rules.map((rule) => <Code key={rule}>{rule}</Code>),
            ],
            // Only operators are given it: it names policies and facts.
            ['Because', textOr(event.policy_explanation ?? null)],
            // Events of older builds have none.
            [
              'Tied to',
              event.obligations?.length ? textOr(event.obligations.join(' ')) : <None key="tied" />,
            ],
            ['Policy revision', textOr(event.policy_revision)],
            ['Decision', textOr(event.decision_id)],
            ['Permit', textOr(event.permit_id, 'none was needed')],
          ]}
        />
      )}
    </Part>
  );
};

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="event-part">
    <h3>{title}</h3>
    {children}
  </section>
);

const textOr = (text: string | null, absent?: string) =>
  text === null ? <None>{absent}</None> : <Text>{text}</Text>;

const leaseLink = (lease_id: string) => <Link to={href(['leases', lease_id])}>{lease_id}</Link>;

const traceLink = (trace_id: string) => <Link to={href(['events'], { trace: trace_id })}>{trace_id}</Link>;

/** `codex 1.2 over mcp from 10.0.0.7`: what the client says of itself, and what the edge saw. */
function clientWords(client: StoredEvent['client']): string {
  const { name, version, via, address } = client as Record<string, unknown>;
  const said = [name, version].filter((part) => typeof part === 'string' && part !== '').join(' ');
  const seen = `${typeof via === 'string' ? ` over ${via}` : ''}${typeof address === 'string' ? ` from ${address}` : ''}`;
  return `${said || 'unnamed'}${seen}`;
}
