import { OpError, sha256, type PolicyVersion } from '@adaos/contracts';
import { inTransaction, type AnySql } from './fault.js';
import { storableText } from './text.js';

export type PolicyVersionRow = PolicyVersion & { text: string };

export interface NewPolicyVersion {
  readonly version_id: string;
  readonly author: string;
  readonly note: string;
  readonly text: string;
  readonly restores: string | null;
}

/** Versions of a zone's policies in SQL. The newest is the one in force: there is no switch that could point elsewhere. */
export function policyRows(sql: AnySql, zone: string) {
  const columns = sql`version_id, seq, author, note, digest, restores, created_at`;
  return {
    /** Number of the newest version, 0 when there is none: what is asked often. */
    async newestSeq(): Promise<number> {
      const [row] = await sql<{ seq: number }[]>`
        select coalesce(max(seq), 0) as seq from policy_versions where zone = ${zone}`;
      return row?.seq ?? 0;
    },

    async newest(): Promise<PolicyVersionRow | null> {
      const [row] = await sql<PolicyVersionRow[]>`
        select ${columns}, text from policy_versions where zone = ${zone} order by seq desc limit 1`;
      return row ?? null;
    },

    async get(version_id: string): Promise<PolicyVersionRow | null> {
      const [row] = await sql<PolicyVersionRow[]>`
        select ${columns}, text from policy_versions
        where zone = ${zone} and version_id = ${storableText(version_id)}`;
      return row ?? null;
    },

    /** Newest first, without their texts. */
    async list(limit: number): Promise<PolicyVersion[]> {
      return sql<PolicyVersion[]>`
        select ${columns} from policy_versions where zone = ${zone} order by seq desc limit ${Math.min(limit, 200)}`;
    },

    /**
     * Adds a version; from its commit on it is the one in force. With `expected_version_id` ('' for none) only while that one still is.
     * @throws OpError conflict when another one was in force.
     */
    async append(version: NewPolicyVersion, expected_version_id?: string): Promise<PolicyVersionRow> {
      return inTransaction(sql, async (tx) => {
        // Two writers must not both find the same version in force.
        await tx`select pg_advisory_xact_lock(hashtextextended(${`adaos.policies.${zone}`}, 0))`;
        const [last] = await tx<{ seq: number; version_id: string }[]>`
          select seq, version_id from policy_versions where zone = ${zone} order by seq desc limit 1`;
        if (expected_version_id !== undefined && (last?.version_id ?? '') !== expected_version_id)
          throw new OpError(
            'conflict',
            { active_version_id: last?.version_id ?? null },
            'Another version of the policies is in force by now.',
          );
        const { version_id, author, note, text, restores } = version;
        const [row] = await tx<PolicyVersionRow[]>`
          insert into policy_versions (version_id, zone, seq, author, note, text, digest, restores)
          values (${version_id}, ${zone}, ${(last?.seq ?? 0) + 1}::bigint, ${storableText(author)}, ${storableText(note)},
            ${text}, ${sha256(text)}, ${restores})
          returning version_id, seq, author, note, digest, restores, created_at, text`;
        return row as PolicyVersionRow;
      });
    },
  };
}

export type PolicyRows = ReturnType<typeof policyRows>;
