import type { TargetRecord } from '@adaos/contracts';
import type { AnySql } from './fault.js';
import { pageOf, type Page } from './page.js';
import { packCursor, storableJson, storableText } from './text.js';

/** What the hub said last. `reported` is its report as it came. */
export interface TargetReport {
  epoch: string;
  cursor: number;
  last_seen_at: string;
  connected_at: string;
  rtt_ms: number | null;
  reported: Record<string, unknown>;
}

/** Root's record of a target, and the hub's last report beside it (null before the first). */
export type TargetRow = TargetRecord & {
  created_at: string;
  updated_at: string;
  report: TargetReport | null;
};

export interface TargetFilter {
  zone?: string;
  subnet_id?: string;
  environment?: TargetRecord['environment'];
  kind?: TargetRecord['kind'];
  /** 1 … 200, 50 when absent. */
  limit?: number;
  cursor?: string;
}

type ReportColumns = { [K in keyof TargetReport]: TargetReport[K] | null };

/** Managed targets in SQL. */
export function targetRows(sql: AnySql) {
  const select = async (where: ReturnType<AnySql>): Promise<TargetRow[]> => {
    const rows = await sql<(Omit<TargetRow, 'report'> & ReportColumns)[]>`
      select t.target_id, t.title, t.kind, t.environment, t.zone, t.subnet_id, t.owner, t.policy, t.skill, t.version,
        t.created_at, t.updated_at, r.epoch, r.cursor, r.last_seen_at, r.connected_at, r.rtt_ms, r.reported
      from targets t left join target_reports r using (target_id)
      where ${where}`;
    return rows.map(({ epoch, cursor, last_seen_at, connected_at, rtt_ms, reported, ...record }) => ({
      ...record,
      report:
        epoch === null
          ? null
          : ({ epoch, cursor, last_seen_at, connected_at, rtt_ms, reported } as TargetReport),
    }));
  };

  const get = async (target_id: string): Promise<TargetRow | null> =>
    (await select(sql`t.target_id = ${storableText(target_id)}`))[0] ?? null;

  const json = (value: unknown) => sql`${storableJson(value)}::text::jsonb`;

  return {
    get,

    /**
     * Creates the record at version 1, or replaces all of it but the skill and counts the version up; the skill's state is `setSkill`'s alone, so
     * that registering again neither undoes a disable nor switches the skill off. Changes nothing and answers null when the record is at
     * another version than `expected_version` (0: must be new), or another zone has that target: a zone can't take a foreign one over.
     */
    async upsert(
      record: Omit<TargetRecord, 'version'>,
      expected_version?: number,
    ): Promise<TargetRow | null> {
      const changed = await sql`
        insert into targets as t (target_id, zone, subnet_id, title, kind, environment, owner, policy, skill)
        select ${record.target_id}, ${record.zone}, ${record.subnet_id}, ${storableText(record.title)}, ${record.kind},
          ${record.environment}, ${storableText(record.owner)}, ${json(record.policy)}, ${json(record.skill)}
        where ${expected_version ?? 0}::bigint = 0 or exists (select 1 from targets where target_id = ${record.target_id})
        on conflict (target_id) do update set
          subnet_id = excluded.subnet_id, title = excluded.title, kind = excluded.kind,
          environment = excluded.environment, owner = excluded.owner, policy = excluded.policy,
          updated_at = now(), version = t.version + 1
        where t.zone = excluded.zone
          and (${expected_version === undefined}::boolean or t.version = ${expected_version ?? 0}::bigint)
        returning 1`;
      return changed.length === 0 ? null : get(record.target_id);
    },

    /** By target id. @throws OpError invalid_argument for a foreign cursor. */
    async list(filter: TargetFilter = {}): Promise<Page<TargetRow>> {
      const { limit, after } = pageOf(filter, ['text']);
      const equal = (['zone', 'subnet_id', 'environment', 'kind'] as const).map((column) =>
        filter[column] === undefined ? sql`` : sql`and t.${sql(column)} = ${storableText(filter[column])}`,
      );
      const rows = await select(sql`
        true ${equal} ${after ? sql`and t.target_id > ${String(after[0])}` : sql``}
        order by t.target_id limit ${limit + 1}`);
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, next_cursor: rows.length > limit && last ? packCursor([last.target_id]) : null };
    },

    /** Sets the skill's state and counts the version up; null when there is no such target, or it is at another version than expected. */
    async setSkill(
      target_id: string,
      skill: TargetRecord['skill'],
      expected_version?: number,
    ): Promise<TargetRow | null> {
      const changed = await sql`
        update targets set skill = ${json(skill)}, updated_at = now(), version = version + 1
        where target_id = ${storableText(target_id)}
          and (${expected_version === undefined}::boolean or version = ${expected_version ?? 0}::bigint)
        returning 1`;
      return changed.length === 0 ? null : get(target_id);
    },

    /**
     * Keeps a hub's report. False, and nothing changed, when it is older than what is kept (a lower cursor within the same epoch; the same
     * cursor is a repeat and refreshes `last_seen_at`), or when root knows no such target.
     */
    async putReport(target_id: string, report: TargetReport): Promise<boolean> {
      const changed = await sql`
        insert into target_reports as r (target_id, epoch, cursor, last_seen_at, connected_at, rtt_ms, reported)
        select target_id, ${storableText(report.epoch)}, ${report.cursor}::bigint, ${report.last_seen_at}::timestamptz,
          ${report.connected_at}::timestamptz, ${report.rtt_ms}::integer, ${json(report.reported)}
        from targets where target_id = ${storableText(target_id)}
        on conflict (target_id) do update set
          epoch = excluded.epoch, cursor = excluded.cursor, last_seen_at = excluded.last_seen_at,
          connected_at = excluded.connected_at, rtt_ms = excluded.rtt_ms, reported = excluded.reported
        where r.epoch <> excluded.epoch or r.cursor <= excluded.cursor
        returning 1`;
      return changed.length > 0;
    },
  };
}

export type TargetRows = ReturnType<typeof targetRows>;
