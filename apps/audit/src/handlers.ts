import { Type } from 'typebox';
import {
  validator,
  type ExecRequest,
  type Grant,
  type OperationalEvent,
  type StoredEvent,
} from '@adaos/contracts';
import { execHandler, type ExecTable, type HandlerTable } from '@adaos/runtime';
import {
  openOrphans,
  packCursor,
  queryRecords,
  type EventRow,
  type RecordFilter,
  type Sql,
} from '@adaos/store';

export interface AuditHandlerDeps {
  readonly zone: string;
  readonly sql: Sql;
}

interface QueryArgs {
  limit?: number;
  cursor?: string;
  errors_only?: boolean;
  [filter: string]: unknown;
}

const checkOrphans = validator<{ older_than: string; limit: number }>(
  Type.Object(
    { older_than: Type.String({ maxLength: 32 }), limit: Type.Integer({ minimum: 1, maximum: 500 }) },
    { additionalProperties: false },
  ),
);

const Id = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }));
const checkFind = validator<{ event_id?: string; decision_id?: string }>(
  Type.Object({ event_id: Id, decision_id: Id }, { additionalProperties: false, minProperties: 1 }),
);

const Instant = Type.String({ maxLength: 32 });
interface DecisionRange {
  since: string;
  until?: string;
  subnet_id?: string;
  limit: number;
  cursor: string | null;
}
const checkDecisions = validator<DecisionRange>(
  Type.Object(
    {
      since: Instant,
      until: Type.Optional(Instant),
      subnet_id: Id,
      limit: Type.Integer({ minimum: 1, maximum: 200 }),
      cursor: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
    },
    { additionalProperties: false },
  ),
);

/** Subject → function. The whole public face of the audit service, next to the stream it consumes. */
export const handlers = (deps: AuditHandlerDeps): HandlerTable => ({
  audit_orphans: async (body) => ({ events: await orphans(deps, checkOrphans(body)) }),
  audit_find: async (body) => ({ event: await find(deps, checkFind(body)) }),
  audit_decisions: async (body) => decisions(deps, checkDecisions(body)),
  audit_exec: execHandler('root.audit_projection', {
    'hub.get_activity_log': (args: QueryArgs, request) =>
      page(deps, { ...args, event_type: 'tool.call' }, request),
    'operations.list_recent_events': (args: QueryArgs, request) => page(deps, args, request),
  } satisfies ExecTable),
});

/** One page, newest first. Tenancy is part of the query: a lease reads its own target's events and no others. */
async function page(
  deps: AuditHandlerDeps,
  args: QueryArgs,
  request: ExecRequest,
): Promise<{ events: (StoredEvent | OperationalEvent)[]; next_cursor: string | null }> {
  const { limit = 50, cursor, ...filter } = args;
  const { subnet_id, role } = request.grant as Grant;
  const scope = {
    ...(request.target_id !== null && { target_id: request.target_id }),
    // Also where the target is named: it may have been another tenant's before.
    ...(subnet_id !== null && { subnet_id }),
  };
  const { items, next_cursor } = await queryRecords(
    deps.sql,
    { ...filter, ...scope, zone: deps.zone } as RecordFilter,
    cursor ?? null,
    limit,
  );
  const answer = cut(role === null ? items.map(asLeaseSees) : items, next_cursor);
  const whole_zone = role !== null && subnet_id === null;
  return whole_zone ? answer : { ...answer, events: answer.events.map(unplaced) };
}

/** What no lease reads: which policies there are and what they look at. */
const FOR_OPERATORS = { policy_explanation: null, policy_facts: null, facts_digest: null };

/** Whoever is no operator reads in the record no more than it was told: not whether a tool it may not see exists. */
function asLeaseSees(item: EventRow): EventRow {
  const event = { ...item.event, ...FOR_OPERATORS };
  const error = item.event['error'] as { code?: string } | null;
  if (error?.code !== 'tool_not_found') return { ...item, event };
  const hidden = {
    surface: null,
    plane_id: null,
    capability: null,
    routing_class: null,
    side_effect_class: null,
    policy_decision: null,
  };
  return { ...item, event: { ...event, ...hidden, determining_rules: [] } };
}

/** The chain is the zone's: gaps between the places of a tenant's own events would count what all others do. */
const unplaced = ({ seq: _seq, prev_hash: _prev, hash: _hash, ...event }: StoredEvent): OperationalEvent =>
  event;

/** Characters of a page's events, so that one with long arguments is a shorter page and no refusal. */
const PAGE_CHARS = 700_000;

function cut(
  items: EventRow[],
  next_cursor: string | null,
): { events: StoredEvent[]; next_cursor: string | null } {
  const events: StoredEvent[] = [];
  let chars = 0;
  for (const item of items) {
    const event = stored(item);
    chars += JSON.stringify(event).length;
    const last = items[events.length - 1];
    if (last && chars > PAGE_CHARS) return { events, next_cursor: packCursor([last.event_id]) };
    events.push(event);
  }
  return { events, next_cursor };
}

async function find(
  deps: AuditHandlerDeps,
  by: { event_id?: string; decision_id?: string },
): Promise<StoredEvent | null> {
  const { items } = await queryRecords(deps.sql, { zone: deps.zone, ...by }, null, 1);
  return items[0] ? stored(items[0]) : null;
}

/** Decided calls, newest first, without what they were about: policy decides them again by their facts. */
async function decisions(deps: AuditHandlerDeps, { since, until, subnet_id, limit, cursor }: DecisionRange) {
  const filter = { zone: deps.zone, since, until, subnet_id, event_type: 'tool.call', decided: true };
  const { items, next_cursor } = await queryRecords(deps.sql, filter, cursor, limit);
  const bare = items.map((item) => ({
    ...item,
    event: { ...item.event, arguments_redacted: null, result_summary: null, timings: {}, client: {} },
  }));
  return cut(bare, next_cursor);
}

async function orphans(
  deps: AuditHandlerDeps,
  { older_than, limit }: { older_than: string; limit: number },
): Promise<OperationalEvent[]> {
  const rows = await openOrphans(deps.sql, older_than);
  return rows
    .filter((row) => row.zone === deps.zone)
    .slice(0, limit)
    .map((row) => JSON.parse(row.body) as OperationalEvent);
}

/** The event as its phases leave it, with its place in the chain: the last record's. */
function stored({ event, seq, phases }: EventRow): StoredEvent {
  const link = phases.at(-1);
  return { ...(event as OperationalEvent), seq, prev_hash: link?.prev_hash ?? '', hash: link?.hash ?? '' };
}
