import { OpError, type SessionLease } from '@adaos/contracts';
import { pageOf, type Page } from './page.js';
import type { AnySql } from './fault.js';
import { inTransaction } from './fault.js';
import { checkIssuer, isLeaseActor, lockFamilies, retireLease, revokeFamily } from './lease-revocation.js';
import { codeOf } from './start-error.js';
import { packCursor, storableText } from './text.js';

/** A new lease as session issues it; `token_hmac` is HMAC(key, digest of the secret) and never leaves the table. */
export type NewLease = Pick<
  SessionLease,
  | 'session_id'
  | 'zone'
  | 'subnet_id'
  | 'target_id'
  | 'audience'
  | 'actor'
  | 'issued_by'
  | 'capability_profile'
  | 'profile_version'
  | 'capabilities'
  | 'allowed_tools'
  | 'created_at'
  | 'deadline_at'
  | 'ttl_seconds'
  | 'note'
> & { token_hmac: Uint8Array; rotated_from?: string | null };

export interface LeaseFilter {
  zone?: string;
  status?: SessionLease['status'];
  target_id?: string;
  subnet_id?: string;
  capability_profile?: string;
  /** 1 … 200, 50 when absent. */
  limit?: number;
  cursor?: string;
}

export interface Revocation {
  lease: SessionLease;
  /** The zone's epoch after the call. */
  epoch: number;
  /** False when it had been revoked before; who did that first, and why, stays. */
  changed: boolean;
}

/** A revocation with what ended by it. */
export interface FamilyEnd extends Revocation {
  /** Leases issued under it, at any depth, that were revoked with it; on a repeat the same ones again, so that they can be told again. */
  descendants: SessionLease[];
}

export interface LeaseUsage {
  session_id: string;
  use_count: number;
  last_used_at: string;
  last_tool_id: string | null;
}

/**
 * Leases in SQL. Reads answer the wire shape with the status as of `now`: a lapsed lease never shows as active.
 * `sql` may be a transaction, to join several steps.
 */
export function leaseRows(sql: AnySql, deps: { now: () => Date } = { now: () => new Date() }) {
  const now = () => deps.now().toISOString();
  const select = (where: ReturnType<AnySql>) => selectLeases(sql, now(), where);

  const get = async (session_id: string): Promise<SessionLease | null> =>
    (await select(sql`l.session_id = ${storableText(session_id)}`))[0] ?? null;

  const epoch = async (zone: string): Promise<number> =>
    (await sql<{ epoch: number }[]>`select epoch from lease_epoch where zone = ${storableText(zone)}`)[0]
      ?.epoch ?? 0;

  const insert = async (lease: NewLease): Promise<SessionLease> => {
    if (!isLeaseActor(lease.issued_by)) await insertRow(sql, lease);
    else {
      await inTransaction(sql, async (tx) => {
        await checkIssuer(tx, lease.issued_by, lease.zone);
        await insertRow(tx, lease);
      });
    }
    return (await get(lease.session_id)) as SessionLease;
  };

  return {
    /** @throws OpError conflict when the id or the token exists, lease_revoked when the lease that issues it is revoked. */
    insert,
    get,
    epoch,

    /** The lease of a bearer, whatever its status; null when nobody holds it. */
    async findByTokenHmac(token_hmac: Uint8Array): Promise<SessionLease | null> {
      return (await select(sql`l.token_hmac = ${token_hmac}`))[0] ?? null;
    },

    /** Newest first; each lease once, whatever is issued meanwhile. @throws OpError invalid_argument for a foreign cursor. */
    async list(filter: LeaseFilter): Promise<Page<SessionLease>> {
      const { limit, after } = pageOf(filter, ['instant', 'text']);
      const status = {
        active: sql`and l.revoked_at is null and l.deadline_at > ${now()}`,
        expired: sql`and l.revoked_at is null and l.deadline_at <= ${now()}`,
        revoked: sql`and l.revoked_at is not null`,
      };
      const equal = (['zone', 'target_id', 'subnet_id', 'capability_profile'] as const).map((column) =>
        filter[column] === undefined ? sql`` : sql`and l.${sql(column)} = ${storableText(filter[column])}`,
      );
      const rows = await select(sql`
        true ${equal} ${filter.status ? status[filter.status] : sql``}
        ${after ? sql`and (l.created_at, l.session_id) < (${String(after[0])}::timestamptz, ${String(after[1])})` : sql``}
        order by l.created_at desc, l.session_id desc limit ${limit + 1}`);
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return {
        items,
        next_cursor: rows.length > limit && last ? packCursor([last.created_at, last.session_id]) : null,
      };
    },

    /**
     * Ends a lease and every live lease that was issued under it, at any depth. Idempotent; null when there is no such lease. Bumps the zone's
     * epoch once, and only when it changes something.
     */
    async revoke(session_id: string, by: string, reason: string): Promise<FamilyEnd | null> {
      return inTransaction(sql, async (tx) => {
        await lockFamilies(tx, 'alone');
        const at = now();
        const { family, changed, ...bumped } = await revokeFamily(tx, session_id, { by, reason, now: at });
        const [lease] = await selectLeases(tx, at, tx`l.session_id = ${storableText(session_id)}`);
        if (!lease) return null;
        // Not who was revoked before the lease was: that was told by itself.
        const descendants = await selectLeases(
          tx,
          at,
          tx`l.session_id = any(${family}::text[]) and l.session_id <> ${lease.session_id}
            and l.revoked_at >= ${lease.revoked_at}::timestamptz
            order by l.created_at, l.session_id`,
        );
        const epoch = bumped.epoch ?? (await leaseRows(tx, deps).epoch(lease.zone));
        return { lease, epoch, changed, descendants };
      });
    },

    /**
     * Revokes a live lease and issues its successor in one transaction. Null when it is not live any more: of many that race, one
     * gets the new bearer. What the old lease issued lives on.
     */
    async rotate(session_id: string, by: string, reason: string, next: NewLease): Promise<Revocation | null> {
      return inTransaction(sql, async (tx) => {
        const bumped = await retireLease(tx, session_id, { by, reason, now: now() });
        if (bumped === null) return null;
        // Its issuer may be the very lease that has just been retired, so it is not asked for.
        await insertRow(tx, { ...next, rotated_from: session_id });
        const lease = (await leaseRows(tx, deps).get(next.session_id)) as SessionLease;
        return { lease, epoch: bumped, changed: true };
      });
    },

    /** Use of the given leases; a lease that was never used has no row. */
    async usage(session_ids: readonly string[]): Promise<LeaseUsage[]> {
      return sql<LeaseUsage[]>`
        select session_id, use_count, last_used_at, last_tool_id from lease_usage
        where session_id = any(${session_ids.map(storableText)}::text[])`;
    },
  };
}

/** Leases in the wire shape, with the status as of `now`. */
const selectLeases = (sql: AnySql, now: string, where: ReturnType<AnySql>) => sql<SessionLease[]>`
  select l.session_id, l.audience, l.actor, l.issued_by, l.target_id, l.subnet_id, l.zone, l.capability_profile,
    l.profile_version, l.capabilities, l.allowed_tools, l.created_at, l.deadline_at, l.ttl_seconds,
    u.last_used_at, coalesce(u.use_count, 0) as use_count, u.last_tool_id,
    case when l.revoked_at is not null then 'revoked' when l.deadline_at <= ${now} then 'expired' else 'active' end as status,
    l.note, l.revoked_at, l.revoked_by, l.revoke_reason, l.rotated_from
  from leases l left join lease_usage u using (session_id)
  where ${where}`;

async function insertRow(sql: AnySql, lease: NewLease): Promise<void> {
  try {
    await sql`insert into leases ${sql({ ...lease, note: storableText(lease.note), rotated_from: lease.rotated_from ?? null })}`;
  } catch (error) {
    if (codeOf(error) === '23505') throw new OpError('conflict', { session_id: lease.session_id });
    throw error;
  }
}

export type LeaseRows = ReturnType<typeof leaseRows>;
