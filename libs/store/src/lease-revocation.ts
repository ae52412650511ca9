import { OpError } from '@adaos/contracts';
import type { AnySql } from './fault.js';
import { storableText } from './text.js';

const LEASE_ACTOR = 'mcp_session_lease:';

/** Who acts under a lease; a lease that it issues has this as `issued_by`. */
export const leaseActor = (session_id: string): string => LEASE_ACTOR + session_id;

/** Why, by whom and as of when leases are revoked. */
export interface RevokedBy {
  by: string;
  reason: string;
  /** RFC 3339. */
  now: string;
}

/**
 * Held to the end of the transaction, alone by who revokes and shared by leases that issue one. Without it a lease could issue another while it
 * is being revoked: the revoking statement would not see the new one, which would outlive its issuer.
 */
export const lockFamilies = (tx: AnySql, mode: 'alone' | 'shared') =>
  mode === 'alone'
    ? tx`select pg_advisory_xact_lock(hashtextextended('adaos.leases', 0))`
    : tx`select pg_advisory_xact_lock_shared(hashtextextended('adaos.leases', 0))`;

/** Nothing for an issuer that is no lease; locks. @throws OpError lease_revoked when the issuing lease is revoked or unknown. */
export async function checkIssuer(tx: AnySql, issued_by: string, zone: string): Promise<void> {
  if (!isLeaseActor(issued_by)) return;
  await lockFamilies(tx, 'shared');
  const grant_id = issued_by.slice(LEASE_ACTOR.length);
  const live = await tx`
    select 1 from leases
    where session_id = ${storableText(grant_id)} and zone = ${storableText(zone)} and revoked_at is null`;
  if (live.length === 0) throw new OpError('lease_revoked', { grant_id, actor: issued_by });
}

export const isLeaseActor = (actor: string): boolean => actor.startsWith(LEASE_ACTOR);

export interface FamilyRevocation {
  /** Null when nothing changed. */
  epoch: number | null;
  /** Whether the lease itself was revoked by this call. */
  changed: boolean;
  /** The lease and all that were ever issued under it, of any status. */
  family: string[];
}

/**
 * Revokes a lease and what lives of its descendants, under a lock that the caller holds. The search goes through members that ended before: what
 * they issued may live. One statement: whoever sees a revoked row also sees the new epoch.
 */
export async function revokeFamily(
  tx: AnySql,
  session_id: string,
  { by, reason, now }: RevokedBy,
): Promise<FamilyRevocation> {
  const id = storableText(session_id);
  const [row] = await tx<FamilyRevocation[]>`
    with recursive family as (
      select session_id, zone from leases where session_id = ${id}
      -- Not "union all": rows that name one another must not keep this running.
      union
      select l.session_id, l.zone from leases l join family f
        on l.issued_by = ${LEASE_ACTOR}::text || f.session_id and l.zone = f.zone
    ), hit as (
      update leases
      set revoked_at = ${now}, revoked_by = ${storableText(by)}, revoke_reason = ${storableText(reason)}
      where session_id in (select session_id from family) and revoked_at is null
        and (session_id = ${id} or deadline_at > ${now})
      returning session_id, zone
    ), bump as (
      insert into lease_epoch as e (zone, epoch) select distinct zone, 1 from hit
      on conflict (zone) do update set epoch = e.epoch + 1
      returning epoch
    )
    select (select epoch from bump) as epoch, exists (select 1 from hit where session_id = ${id}) as changed,
      array(select session_id from family) as family`;
  return row as FamilyRevocation;
}

/** Revokes one lease if it is live, and not its descendants: its successor answers for them. Answers the new epoch, or null. */
export async function retireLease(
  tx: AnySql,
  session_id: string,
  { by, reason, now }: RevokedBy,
): Promise<number | null> {
  const [row] = await tx<{ epoch: number | null }[]>`
    with hit as (
      update leases
      set revoked_at = ${now}, revoked_by = ${storableText(by)}, revoke_reason = ${storableText(reason)}
      where session_id = ${storableText(session_id)} and revoked_at is null and deadline_at > ${now}
      returning zone
    ), bump as (
      insert into lease_epoch as e (zone, epoch) select zone, 1 from hit
      on conflict (zone) do update set epoch = e.epoch + 1
      returning epoch
    )
    select (select epoch from bump) as epoch`;
  return row?.epoch ?? null;
}
