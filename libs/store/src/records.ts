import { RECORD_PHASES } from '@adaos/contracts';
import { GENESIS_HASH, chainHash } from './chain.js';
import type { AnySql, Sql } from './fault.js';
import { codeOf } from './start-error.js';
import { indexedText, storableText } from './text.js';

export type RecordPhase = (typeof RECORD_PHASES)[number];

/** One record to append. `body` is the event as canonical JSON: it is stored and hashed byte for byte; the rest is there to be searched. */
export interface RecordInput {
  event_id: string;
  phase: RecordPhase;
  event_type: string;
  /** RFC 3339. */
  started_at: string;
  trace_id: string | null;
  request_id: string | null;
  actor: string | null;
  lease_id: string | null;
  target_id: string | null;
  tool_id: string | null;
  subnet_id: string | null;
  plane_id: string | null;
  status: string | null;
  error_code: string | null;
  side_effect_class: string | null;
  decision_id?: string | null;
  body: string;
}

export interface Appended {
  inserted: number;
  /** Already recorded, or twice in the batch. */
  duplicates: number;
  /** Refused by the database for their content, and kept in event_dead_letters with the reason. */
  dead_lettered: number;
}

const REQUIRED = ['event_id', 'phase', 'event_type', 'started_at', 'body'] as const;
const MAX_REASON_CHARS = 500;
type Searched = Exclude<keyof RecordInput, (typeof REQUIRED)[number]>;
const keyOf = (record: { event_id: string; phase: string }) => `${record.phase} ${record.event_id}`;

/**
 * Appends records to the zone's chain, in the order given, without gaps in `seq`. What is recorded already is skipped, so a redelivered batch
 * changes nothing; use of leases is counted in the same transaction. A record that the database refuses for its content goes to
 * event_dead_letters and the rest lands.
 * @throws OpError dependency_unavailable: nothing or a leading part has landed; append the whole batch again.
 */
export async function insertRecords(
  sql: Sql,
  zone: string,
  records: readonly RecordInput[],
): Promise<Appended> {
  // Out before the driver sees them: a value it can't encode would leave its connection stuck in the transaction.
  const malformed = records.filter((record) => REQUIRED.some((field) => typeof record[field] !== 'string'));
  for (const record of malformed) await bury(sql, record, new TypeError('a required field is no text'));
  const appended = await appendOrBisect(
    sql,
    zone,
    malformed.length === 0 ? records : records.filter((one) => !malformed.includes(one)),
  );
  return { ...appended, dead_lettered: appended.dead_lettered + malformed.length };
}

async function appendOrBisect(sql: Sql, zone: string, records: readonly RecordInput[]): Promise<Appended> {
  if (records.length === 0) return { inserted: 0, duplicates: 0, dead_lettered: 0 };
  try {
    return { ...(await appendOnce(sql, zone, records)), dead_lettered: 0 };
  } catch (error) {
    if (!isDataFault(error)) throw error;
    const [only] = records;
    if (records.length === 1 && only) {
      await bury(sql, only, error);
      return { inserted: 0, duplicates: 0, dead_lettered: 1 };
    }
    const middle = records.length >> 1;
    const first = await appendOrBisect(sql, zone, records.slice(0, middle));
    const second = await appendOrBisect(sql, zone, records.slice(middle));
    return {
      inserted: first.inserted + second.inserted,
      duplicates: first.duplicates + second.duplicates,
      dead_lettered: first.dead_lettered + second.dead_lettered,
    };
  }
}

/** The record's own fault: SQLSTATE classes cardinality, data, integrity and program limits. A bug of ours must not bury good records. */
const isDataFault = (error: unknown) => /^(21|22|23|54)...$/.test(codeOf(error));

async function bury(sql: Sql, record: RecordInput, error: unknown): Promise<void> {
  const reason = `${codeOf(error)} ${(error as Error).message} (${record.phase} ${record.event_id})`.trim();
  await sql`
    insert into event_dead_letters (reason, body)
    values (${storableText(reason.slice(0, MAX_REASON_CHARS))}, ${storableText(String(record.body))})`;
}

/** One transaction. The same event in two zones at once breaks the unique key; tried again, the later one sees it as recorded. */
async function appendOnce(
  sql: Sql,
  zone: string,
  records: readonly RecordInput[],
): Promise<Omit<Appended, 'dead_lettered'>> {
  const wanted = new Map<string, RecordInput>();
  for (const record of records) {
    const clean = { ...record, event_id: storableText(record.event_id) };
    if (!wanted.has(keyOf(clean))) wanted.set(keyOf(clean), clean);
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const inserted = await sql.begin((tx) => appendFresh(tx, zone, [...wanted.values()]));
      return { inserted, duplicates: records.length - inserted };
    } catch (error) {
      if (codeOf(error) !== '23505' || attempt === 3) throw error;
    }
  }
}

interface Known {
  event_id: string;
  phase: RecordPhase;
  zone: string;
  event_seq: number;
}

async function appendFresh(tx: AnySql, zone: string, records: readonly RecordInput[]): Promise<number> {
  // Sent together, run one after the other: what is read is what stands once the lock is ours.
  const [, tail, known] = await Promise.all([
    tx`select pg_advisory_xact_lock(hashtextextended(${`adaos.records.${zone}`}, 0))`,
    tx<{ seq: number; hash: string }[]>`
      select seq, hash from event_records where zone = ${zone} order by seq desc limit 1`,
    tx<Known[]>`
      select event_id, phase, zone, event_seq from event_records
      where event_id = any(${records.map((record) => record.event_id)}::text[])`,
  ]);
  const recorded = new Set(known.map(keyOf));
  const fresh = records.filter((record) => !recorded.has(keyOf(record)));
  if (fresh.length === 0) return 0;

  const place = new Map(
    known.filter((row) => row.zone === zone).map((row) => [row.event_id, row.event_seq] as const),
  );
  let seq = tail[0]?.seq ?? 0;
  let prev_hash = tail[0]?.hash ?? GENESIS_HASH;
  const rows = fresh.map((record) => {
    seq += 1;
    if (!place.has(record.event_id)) place.set(record.event_id, seq);
    const row = {
      record,
      seq,
      event_seq: place.get(record.event_id),
      prev_hash,
      hash: chainHash(prev_hash, record.body, seq),
    };
    prev_hash = row.hash;
    return row;
  });
  const text = (column: Searched) => rows.map(({ record }) => indexedText(record[column]));
  const insert = tx`
    insert into event_records (zone, seq, event_seq, event_id, phase, event_type, started_at, trace_id, request_id,
      actor, lease_id, target_id, tool_id, subnet_id, plane_id, status, error_code, side_effect_class, decision_id, body, prev_hash, hash)
    select ${zone}, n.seq, n.event_seq, n.event_id, n.phase, n.event_type, n.started_at::timestamptz,
      n.c1, n.c2, n.c3, n.c4, n.c5, n.c6, n.c7, n.c8, n.c9, n.c10, n.c11, n.c12, n.body, n.prev_hash, n.hash
    from unnest(
      ${rows.map((row) => row.seq)}::bigint[], ${rows.map((row) => row.event_seq as number)}::bigint[],
      ${fresh.map((record) => record.event_id)}::text[], ${fresh.map((record) => record.phase)}::text[],
      ${fresh.map((record) => storableText(record.event_type))}::text[], ${fresh.map((record) => record.started_at)}::text[],
      ${text('trace_id')}::text[], ${text('request_id')}::text[], ${text('actor')}::text[], ${text('lease_id')}::text[],
      ${text('target_id')}::text[], ${text('tool_id')}::text[], ${text('subnet_id')}::text[], ${text('plane_id')}::text[],
      ${text('status')}::text[], ${text('error_code')}::text[], ${text('side_effect_class')}::text[],
      ${text('decision_id')}::text[],
      ${fresh.map((record) => record.body)}::text[], ${rows.map((row) => row.prev_hash)}::text[], ${rows.map((row) => row.hash)}::text[]
    ) as n(seq, event_seq, event_id, phase, event_type, started_at, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, body, prev_hash, hash)`;
  await Promise.all([insert, countUses(tx, fresh), followOpen(tx, zone, rows, known)]);
  return fresh.length;
}

/** Counts closed tool calls per lease. Only fresh records come here, so a redelivery counts nothing twice. */
async function countUses(tx: AnySql, fresh: readonly RecordInput[]): Promise<void> {
  const uses = fresh.filter(
    (record) => record.phase === 'closed' && record.event_type === 'tool.call' && record.lease_id,
  );
  if (uses.length === 0) return;
  await tx`
    insert into lease_usage as u (session_id, use_count, last_used_at, last_tool_id)
    select session_id, count(*), max(at::timestamptz), (array_agg(tool_id order by at::timestamptz desc))[1]
    from unnest(
      ${uses.map((use) => indexedText(use.lease_id))}::text[], ${uses.map((use) => use.started_at)}::text[],
      ${uses.map((use) => indexedText(use.tool_id))}::text[]
    ) as n(session_id, at, tool_id)
    group by session_id order by session_id
    on conflict (session_id) do update set
      use_count = u.use_count + excluded.use_count,
      last_tool_id = case when excluded.last_used_at >= u.last_used_at then excluded.last_tool_id else u.last_tool_id end,
      last_used_at = greatest(u.last_used_at, excluded.last_used_at)`;
}

/** Keeps open_events: an opening record enters unless its outcome is there already, an outcome takes it out. */
async function followOpen(
  tx: AnySql,
  zone: string,
  rows: readonly { record: RecordInput; seq: number }[],
  known: readonly Known[],
): Promise<void> {
  const ended = new Set(
    [...known, ...rows.map((row) => row.record)]
      .filter(({ phase }) => phase !== 'opened')
      .map(({ event_id }) => event_id),
  );
  const entering = rows.filter(({ record }) => record.phase === 'opened' && !ended.has(record.event_id));
  const was_open = new Set(known.filter(({ phase }) => phase === 'opened').map(({ event_id }) => event_id));
  const leaving = rows
    .map(({ record }) => record)
    .filter(({ phase, event_id }) => phase !== 'opened' && was_open.has(event_id));
  await Promise.all([
    entering.length > 0 &&
      tx`insert into open_events (event_id, zone, seq)
         select event_id, ${zone}, seq from unnest(
           ${entering.map(({ record }) => record.event_id)}::text[], ${entering.map((row) => row.seq)}::bigint[]) as n(event_id, seq)
         on conflict do nothing`,
    leaving.length > 0 &&
      tx`delete from open_events where event_id = any(${leaving.map(({ event_id }) => event_id)}::text[])`,
  ]);
}
