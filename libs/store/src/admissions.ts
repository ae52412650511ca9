import type { Admission } from '@adaos/contracts';
import { inTransaction, type AnySql } from './fault.js';
import { pageOf, type Page } from './page.js';
import { packCursor, storableText } from './text.js';

/** An admission as session makes it; `token_hmac` is HMAC(key, digest of the bearer) and never leaves the table. */
export type NewAdmission = Omit<Admission, 'status' | 'revoked_at' | 'revoked_by' | 'revoke_reason'> & {
  token_hmac: Uint8Array;
};

export interface AdmissionFilter {
  zone: string;
  status?: Admission['status'];
  /** 1 … 200, 50 when absent. */
  limit?: number;
  cursor?: string;
}

export interface AdmissionRevoked {
  admission: Admission;
  /** The zone's epoch after the call. */
  epoch: number;
}

/** Rows that one sweep removes at most. */
const SWEEP = 1_000;

/** Admissions in SQL. Reads answer the status as of `now`: a lapsed admission never shows as active. */
export function admissionRows(sql: AnySql, { now }: { now: () => Date }) {
  const at = () => now().toISOString();
  const select = (db: AnySql, where: ReturnType<AnySql>) => db<Admission[]>`
    select admission_id, auth_method, admitted_by, issuer, actor, role, zone, subnet_id, target_id, audience,
      capability_profile, profile_version, capabilities, allowed_tools, admitted_at, expires_at, token_expires_at,
      case when revoked_at is not null then 'revoked' when expires_at <= ${at()} then 'expired' else 'active' end as status,
      revoked_at, revoked_by, revoke_reason
    from admissions where ${where}`;

  return {
    /** The admission of a bearer in a zone, whatever its status. */
    async findByTokenHmac(zone: string, token_hmacs: readonly Uint8Array[]): Promise<Admission | null> {
      const hmacs = [...token_hmacs];
      const rows = await select(sql, sql`zone = ${storableText(zone)} and token_hmac in ${sql(hmacs)}`);
      return rows[0] ?? null;
    },

    /** Stores the bearer's hash by another key: the one it is found under is being replaced. */
    async rehash(admission_id: string, token_hmac: Uint8Array): Promise<void> {
      await sql`
        update admissions set token_hmac = ${token_hmac}
        where admission_id = ${storableText(admission_id)} and token_hmac <> ${token_hmac}`;
    },

    async get(zone: string, admission_id: string): Promise<Admission | null> {
      return (
        (
          await select(
            sql,
            sql`zone = ${storableText(zone)} and admission_id = ${storableText(admission_id)}`,
          )
        )[0] ?? null
      );
    },

    /**
     * Writes an admission, or renews the one that bearer has: its id and first moment stay, its grant is the new one. Null when it was revoked:
     * one statement decides, so that a revocation that races a renewal is never undone.
     */
    async admit(admission: NewAdmission): Promise<Admission | null> {
      const row = {
        ...admission,
        issuer: storableText(admission.issuer),
        actor: storableText(admission.actor),
      };
      const [made] = await sql<{ admission_id: string }[]>`
        insert into admissions ${sql(row)}
        on conflict (zone, token_hmac) do update set
          auth_method = excluded.auth_method, issuer = excluded.issuer, actor = excluded.actor, role = excluded.role,
          subnet_id = excluded.subnet_id, target_id = excluded.target_id, audience = excluded.audience,
          capability_profile = excluded.capability_profile, profile_version = excluded.profile_version,
          capabilities = excluded.capabilities, allowed_tools = excluded.allowed_tools,
          expires_at = excluded.expires_at, token_expires_at = excluded.token_expires_at
        where admissions.revoked_at is null
        returning admission_id`;
      if (!made) return null;
      return (await select(sql, sql`admission_id = ${made.admission_id}`))[0] ?? null;
    },

    /** Newest first. @throws OpError invalid_argument for a foreign cursor. */
    async list(filter: AdmissionFilter): Promise<Page<Admission>> {
      const { limit, after } = pageOf(filter, ['instant', 'text']);
      const status = {
        active: sql`and revoked_at is null and expires_at > ${at()}`,
        expired: sql`and revoked_at is null and expires_at <= ${at()}`,
        revoked: sql`and revoked_at is not null`,
      };
      const rows = await select(
        sql,
        sql`
          zone = ${storableText(filter.zone)} ${filter.status ? status[filter.status] : sql``}
          ${after ? sql`and (admitted_at, admission_id) < (${String(after[0])}::timestamptz, ${String(after[1])})` : sql``}
          order by admitted_at desc, admission_id desc limit ${limit + 1}`,
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return {
        items,
        next_cursor: rows.length > limit && last ? packCursor([last.admitted_at, last.admission_id]) : null,
      };
    },

    /** Ends an admission. Idempotent; null when the zone has no such one. The zone's epoch grows with it, once. */
    async revoke(
      zone: string,
      admission_id: string,
      by: string,
      reason: string,
    ): Promise<AdmissionRevoked | null> {
      return inTransaction(sql, async (tx) => {
        const [bumped] = await tx<{ epoch: number }[]>`
          with hit as (
            update admissions
            set revoked_at = ${at()}, revoked_by = ${storableText(by)}, revoke_reason = ${storableText(reason)}
            where zone = ${storableText(zone)} and admission_id = ${storableText(admission_id)} and revoked_at is null
            returning zone
          )
          insert into lease_epoch as e (zone, epoch) select zone, 1 from hit
          on conflict (zone) do update set epoch = e.epoch + 1
          returning epoch`;
        const [admission] = await select(
          tx,
          tx`zone = ${storableText(zone)} and admission_id = ${storableText(admission_id)}`,
        );
        if (!admission) return null;
        if (bumped) return { admission, epoch: bumped.epoch };
        const [now_at] = await tx<{ epoch: number }[]>`
          select epoch from lease_epoch where zone = ${storableText(zone)}`;
        return { admission, epoch: now_at?.epoch ?? 0 };
      });
    },

    /** Removes rows whose token has ended: nothing could admit it again. Answers how many. */
    async sweep(): Promise<number> {
      const gone = await sql`
        delete from admissions where admission_id in
          (select admission_id from admissions where token_expires_at < ${at()} limit ${SWEEP})`;
      return gone.count;
    },
  };
}

export type AdmissionRows = ReturnType<typeof admissionRows>;
