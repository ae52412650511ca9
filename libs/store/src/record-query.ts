import { OpError } from '@adaos/contracts';
import type { AnySql } from './fault.js';
import { isInstant, pageOf, type Page } from './page.js';
import type { RecordInput, RecordPhase } from './records.js';
import { packCursor, storableText } from './text.js';

export interface RecordFilter {
  zone: string;
  event_id?: string;
  trace_id?: string;
  request_id?: string;
  actor?: string;
  lease_id?: string;
  target_id?: string;
  subnet_id?: string;
  tool_id?: string;
  /** `open`: no outcome recorded yet. */
  status?: string;
  error_code?: string;
  event_type?: string;
  decision_id?: string;
  /** Only events that policy decided. */
  decided?: boolean;
  /** Only events that ended otherwise than in success. */
  errors_only?: boolean;
  /** started_at at or after, RFC 3339. */
  since?: string;
  /** started_at before, RFC 3339. */
  until?: string;
}

/** Place of a record in its zone's chain. */
export interface ChainLink {
  seq: number;
  event_id: string;
  phase: RecordPhase;
  recorded_at: string;
  body: string;
  prev_hash: string;
  hash: string;
}

/** One event: the searched columns of its last phase, and its phases merged, later over earlier. */
export type EventRow = Omit<RecordInput, 'body' | 'phase'> & {
  zone: string;
  /** seq of its first record: what the listing is ordered by. */
  seq: number;
  phases: Omit<ChainLink, 'event_id' | 'body'>[];
  event: Record<string, unknown>;
};

const EQUAL = [
  'event_id',
  'trace_id',
  'request_id',
  'actor',
  'lease_id',
  'target_id',
  'subnet_id',
  'tool_id',
  'error_code',
  'event_type',
  'decision_id',
] as const;
const RANK: Record<RecordPhase, number> = { opened: 0, closed: 1, late: 2 };

/**
 * Events newest first, each once, however many of its phases are recorded and whatever comes in between two pages.
 * @throws OpError invalid_argument for a foreign cursor or a time that is not RFC 3339.
 */
export async function queryRecords(
  sql: AnySql,
  filter: RecordFilter,
  cursor: string | null = null,
  limit?: number,
): Promise<Page<EventRow>> {
  const page = pageOf({ limit, cursor }, ['text']);
  for (const field of ['since', 'until'] as const) {
    if (filter[field] !== undefined && !isInstant(filter[field]))
      throw new OpError('invalid_argument', { field });
  }
  const equal = EQUAL.map((column) =>
    filter[column] === undefined ? sql`` : sql`and h.${sql(column)} = ${storableText(filter[column])}`,
  );
  const status =
    filter.status === undefined
      ? sql``
      : filter.status === 'open'
        ? sql`and h.phase = 'opened'`
        : sql`and h.phase <> 'opened' and h.status = ${storableText(filter.status)}`;
  type Found = Omit<EventRow, 'phases' | 'event'> & { phases: Omit<ChainLink, 'event_id'>[] };
  const rows = await sql<Found[]>`
    select h.zone, h.event_seq as seq, h.event_id, h.event_type, h.started_at, h.trace_id, h.request_id, h.actor, h.lease_id,
      h.target_id, h.tool_id, h.subnet_id, h.plane_id, h.error_code, h.side_effect_class,
      case h.phase when 'opened' then 'open' else h.status end as status,
      (select json_agg(json_build_object('phase', p.phase, 'seq', p.seq, 'prev_hash', p.prev_hash, 'hash', p.hash, 'body', p.body,
          'recorded_at', to_char(p.recorded_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by p.seq)
        from event_records p where p.event_id = h.event_id and p.zone = h.zone) as phases
    from event_records h
    where h.zone = ${storableText(filter.zone)} ${equal} ${status}
      ${filter.errors_only ? sql`and h.phase <> 'opened' and h.status <> 'succeeded'` : sql``}
      ${filter.decided ? sql`and h.decision_id is not null` : sql``}
      ${filter.since === undefined ? sql`` : sql`and h.started_at >= ${filter.since}::timestamptz`}
      ${filter.until === undefined ? sql`` : sql`and h.started_at < ${filter.until}::timestamptz`}
      ${page.after ? sql`and h.event_seq < ${placeOf(sql, filter, String(page.after[0]))}` : sql``}
      -- h is the event's last phase
      and not exists (
        select 1 from event_records n where n.event_id = h.event_id and n.zone = h.zone
          and (h.phase = 'opened' and n.phase in ('closed', 'late') or h.phase = 'closed' and n.phase = 'late'))
    order by h.event_seq desc limit ${page.limit + 1}`;
  const items = rows.slice(0, page.limit).map(mergePhases);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > page.limit && last ? packCursor([last.event_id]) : null };
}

/**
 * Where the page before ended. A cursor names the event and not its place, whose gaps would count what other tenants do; one of an event
 * that the reader may not see is as good as one that nobody has: nothing comes after it.
 */
const placeOf = (sql: AnySql, { zone, target_id, subnet_id }: RecordFilter, event_id: string) => sql`(
  select min(c.event_seq) from event_records c where c.zone = ${storableText(zone)} and c.event_id = ${event_id}
    ${target_id === undefined ? sql`` : sql`and c.target_id = ${storableText(target_id)}`}
    ${subnet_id === undefined ? sql`` : sql`and c.subnet_id = ${storableText(subnet_id)}`})`;

function mergePhases<T extends { phases: Omit<ChainLink, 'event_id'>[] }>(row: T) {
  const ordered = [...row.phases].sort((a, b) => RANK[a.phase] - RANK[b.phase]);
  const event = Object.assign(
    {},
    ...ordered.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
  ) as Record<string, unknown>;
  return { ...row, phases: row.phases.map(({ body: _, ...link }) => link), event };
}

/** The zone's chain in order, after `after_seq` (0: from the start), for verification and export. `limit` at most 1000. */
export async function readChain(
  sql: AnySql,
  zone: string,
  after_seq: number,
  limit: number,
): Promise<ChainLink[]> {
  return sql<ChainLink[]>`
    select seq, event_id, phase, recorded_at, body, prev_hash, hash from event_records
    where zone = ${storableText(zone)} and seq > ${after_seq}::bigint order by seq limit ${Math.min(limit, 1000)}`;
}

/**
 * Opening records without an outcome, recorded before `older_than` (RFC 3339), oldest first, 500 at most: their caller died or the outcome is
 * still on its way.
 */
export async function openOrphans(
  sql: AnySql,
  older_than: string,
): Promise<(RecordInput & { zone: string; seq: number })[]> {
  return sql<(RecordInput & { zone: string; seq: number })[]>`
    select r.zone, r.seq, r.event_id, r.phase, r.event_type, r.started_at, r.trace_id, r.request_id, r.actor, r.lease_id, r.target_id,
      r.tool_id, r.subnet_id, r.plane_id, r.status, r.error_code, r.side_effect_class, r.body
    from open_events o join event_records r on r.zone = o.zone and r.seq = o.seq
    where o.recorded_at < ${older_than}::timestamptz order by o.recorded_at, o.seq limit 500`;
}

export interface DeadLetter {
  id: number;
  received_at: string;
  reason: string;
  body: string;
}

/** Records that could not be stored, newest first. `limit` at most 1000. */
export async function deadLetters(sql: AnySql, limit: number): Promise<DeadLetter[]> {
  return sql<DeadLetter[]>`
    select id, received_at, reason, body from event_dead_letters order by id desc limit ${Math.min(limit, 1000)}`;
}
