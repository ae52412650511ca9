import type { Envelope, ProgressStep, Run, RunStatus, RunView } from '@adaos/contracts';
import type { AnySql } from './fault.js';
import { storableJson, storableText } from './text.js';

/** A call as it becomes a run. */
export type NewRun = Pick<
  Run,
  'run_id' | 'tool_id' | 'target_id' | 'subnet_id' | 'event_id' | 'expires_at'
> & {
  zone: string;
  lease_id: string;
  call_id: string;
};

/** Who asks: a lease sees its own runs; without one the zone's, cut to a subnet or target where those are given. */
export interface RunScope {
  zone: string;
  lease_id?: string;
  subnet_id?: string;
  target_id?: string;
}

export type StoredRun = RunView & { call_id: string; lease_id: string };

/** Rows one sweep deletes at most: a long pause must not end in one long lock. */
const MAX_SWEPT = 1_000;

/** Runs in SQL. A run that has lapsed is not there, swept or not. Throws OpError dependency_unavailable when the database is away. */
export function runRows(sql: AnySql, deps: { now: () => Date } = { now: () => new Date() }) {
  const now = () => deps.now().toISOString();
  const columns = sql`run_id, status, tool_id, target_id, subnet_id, event_id, progress, created_at, updated_at, expires_at,
    outcome, call_id, lease_id`;
  type Row = Run & { outcome: Envelope | null; call_id: string; lease_id: string };
  const viewOf = ({ outcome, call_id, lease_id, ...run }: Row): StoredRun => ({
    run,
    outcome,
    call_id,
    lease_id,
  });

  return {
    /** Once this resolves, `get` finds it: nobody is told of a run before. */
    async create(run: NewRun): Promise<Run> {
      const [row] = await sql<Row[]>`
        insert into runs (run_id, zone, lease_id, event_id, call_id, tool_id, target_id, subnet_id, status, created_at, updated_at, expires_at)
        values (${run.run_id}, ${run.zone}, ${run.lease_id}, ${run.event_id}, ${run.call_id}, ${run.tool_id}, ${run.target_id},
          ${run.subnet_id}, 'working', ${now()}, ${now()}, ${run.expires_at})
        returning ${columns}`;
      return viewOf(row!).run;
    },
    async get(run_id: string, scope: RunScope): Promise<StoredRun | null> {
      const equal = (['lease_id', 'subnet_id', 'target_id'] as const).map((column) =>
        scope[column] === undefined ? sql`` : sql`and ${sql(column)} = ${storableText(scope[column])}`,
      );
      const [row] = await sql<Row[]>`
        select ${columns} from runs
        where run_id = ${storableText(run_id)} and zone = ${scope.zone} and expires_at > ${now()} ${equal}`;
      return row ? viewOf(row) : null;
    },
    async step(run_id: string, step: ProgressStep): Promise<void> {
      await sql`
        update runs set progress = ${storableJson(step)}::text::jsonb, updated_at = ${now()}
        where run_id = ${run_id} and status = 'working'`;
    },
    /** Somebody still works on these. */
    async touch(run_ids: readonly string[]): Promise<void> {
      await sql`update runs set updated_at = ${now()} where run_id = any(${[...run_ids]}::text[]) and status = 'working'`;
    },
    /** Gives a run its outcome; the first one stands, whoever brings it. False when it had one. */
    async settle(run_id: string, status: Exclude<RunStatus, 'working'>, outcome: Envelope): Promise<boolean> {
      const settled = await sql`
        update runs set status = ${status}, outcome = ${storableJson(outcome)}::text::jsonb, updated_at = ${now()}
        where run_id = ${run_id} and status = 'working' returning 1`;
      return settled.length > 0;
    },
    /** Runs nobody has worked on since then: their router has died. Oldest first. */
    async stale(zone: string, since: string, limit: number): Promise<StoredRun[]> {
      const rows = await sql<Row[]>`
        select ${columns} from runs where zone = ${zone} and status = 'working' and updated_at < ${since}
        order by updated_at limit ${limit}`;
      return rows.map(viewOf);
    },
    /** Forgets runs that have lapsed and are not under way; how many. */
    async sweep(): Promise<number> {
      const gone = await sql`
        delete from runs where run_id in (
          select run_id from runs where expires_at <= ${now()} and status <> 'working' limit ${MAX_SWEPT})
        returning 1`;
      return gone.length;
    },
  };
}
export type RunRows = ReturnType<typeof runRows>;
