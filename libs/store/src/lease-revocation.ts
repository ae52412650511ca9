import { OpError } from '@adaos/contracts';
import { inTransaction, type AnySql } from './fault.js';
import { storableText } from './text.js';

const LEASE_ACTOR = 'mcp_session_lease:';

/** Who acts under a lease. */
export const leaseActor = (session_id: string): string => LEASE_ACTOR + session_id;

/** Why, by whom and as of when credentials end. */
export interface RevokedBy {
  by: string;
  reason: string;
  /** RFC 3339. */
  now: string;
}

/** Who issues: the grant it acts under, with the role that grant was resolved with. */
export interface Maker {
  readonly grant_id: string;
  readonly role: string | null;
}

/**
 * Held to the end of the transaction, alone by who takes rights away and shared by who hands some out. Without it a lease could issue another
 * while it is being revoked: the revoking statement would not see the new one, which would outlive its issuer.
 */
export const lockFamilies = (tx: AnySql, mode: 'alone' | 'shared') =>
  mode === 'alone'
    ? tx`select pg_advisory_xact_lock(hashtextextended('adaos.leases', 0))`
    : tx`select pg_advisory_xact_lock_shared(hashtextextended('adaos.leases', 0))`;

/**
 * The maker still is what its grant says, under a lock that the caller holds: a grant may have been resolved just before it was taken back.
 * Makers that are kept elsewhere (an identity provider's) are not looked for. @throws OpError lease_revoked.
 */
export async function checkMaker(tx: AnySql, maker: Maker, zone: string, now: string): Promise<void> {
  const id = storableText(maker.grant_id);
  const [known] = await tx<{ live: boolean }[]>`
    select (revoked_at is null or revoked_at > ${now}) and deadline_at > ${now} as live
      from leases where session_id = ${id} and zone = ${storableText(zone)}
    union all
    select disabled_at is null and role is not distinct from ${maker.role}
      from operators where operator_id = ${id} and zone = ${storableText(zone)}`;
  if (known ? !known.live : /^(lse|tok|key|opr)_/.test(id))
    throw new OpError('lease_revoked', { grant_id: maker.grant_id });
}

/** A step of the zone's epoch, which every cache of grants watches (D5). */
export async function bumpEpoch(tx: AnySql, zone: string): Promise<number> {
  const [row] = await tx<{ epoch: number }[]>`
    insert into lease_epoch as e (zone, epoch) values (${storableText(zone)}, 1)
    on conflict (zone) do update set epoch = e.epoch + 1
    returning epoch`;
  return row!.epoch;
}

export interface FamilyRevocation {
  /** Those that this call ended. */
  hit: string[];
  /** The roots and all that was ever issued under them or rotated into or out of them, of any status. */
  family: string[];
}

/**
 * Ends the credentials that `roots` names (a condition on `l`) and what lives of their families, under the lock for one who takes away. A
 * family grows downwards by issue, and both ways by rotation: whoever ends a lease means all the bearers it ever had. The search goes through
 * members that ended before, since what they issued may live. A lapsed one stays what it is, but for `even_lapsed`.
 */
export async function revokeFamily(
  tx: AnySql,
  roots: ReturnType<AnySql>,
  { by, reason, now }: RevokedBy,
  even_lapsed = '',
): Promise<FamilyRevocation> {
  const [row] = await tx<FamilyRevocation[]>`
    with recursive root as (
      select l.session_id, l.rotated_from, l.zone from leases l where ${roots}
    ), family as (
      select * from root
      -- Not "union all": rows that name one another must not keep this running. Not "=" on the zone: an index on it would be read whole at
      -- each level of the family.
      union
      select l.session_id, l.rotated_from, l.zone from leases l join family f on l.zone is not distinct from f.zone and
        (l.issuer_id = f.session_id or l.rotated_from = f.session_id or l.session_id = f.rotated_from)
    ), hit as (
      update leases set revoked_at = ${now}, revoked_by = ${storableText(by)}, revoke_reason = ${storableText(reason)}, told_at = ${now}
      where session_id in (select session_id from family) and (revoked_at is null or revoked_at > ${now})
        and (deadline_at > ${now} or session_id = ${even_lapsed})
      returning session_id
    )
    select array(select session_id from hit) as hit, array(select session_id from family) as family`;
  return row as FamilyRevocation;
}

/** Members that one transaction ends: more would outlast its statement's time, and with it the right to end any of them. */
const FAMILY_AT_ONCE = 1_000;

/** Are there more in the families of `roots` than are ended in one transaction? Looks no further than that. */
export async function isLargeFamily(tx: AnySql, roots: ReturnType<AnySql>): Promise<boolean> {
  const found = await tx`
    with recursive family as (
      select l.session_id, l.rotated_from, l.zone from leases l where ${roots}
      union
      select l.session_id, l.rotated_from, l.zone from leases l join family f on l.zone is not distinct from f.zone and
        (l.issuer_id = f.session_id or l.rotated_from = f.session_id or l.session_id = f.rotated_from)
    ) select 1 from family limit ${FAMILY_AT_ONCE + 1}`;
  return found.length > FAMILY_AT_ONCE;
}

/** Ends the one that `which` names, lapsed or not. False when it had ended before. */
export async function endOne(
  tx: AnySql,
  which: ReturnType<AnySql>,
  { by, reason, now }: RevokedBy,
): Promise<boolean> {
  const ended = await tx`
    update leases l set revoked_at = ${now}, revoked_by = ${storableText(by)}, revoke_reason = ${storableText(reason)}, told_at = ${now}
    where ${which} and (l.revoked_at is null or l.revoked_at > ${now}) returning 1`;
  return ended.length > 0;
}

/**
 * Ends a family of any size, a step in each transaction. A bearer that may issue could otherwise grow a family that takes too long to end at
 * once, and so could never be taken back. Each member is ended before those below it are looked for, and whoever is ended issues nothing
 * more: so none is missed, and a repeat goes on where a crash left off. A step that ends somebody bumps the epoch.
 */
export async function revokeInSteps(
  sql: AnySql,
  roots: (tx: AnySql) => ReturnType<AnySql>,
  zone: string,
  { by, reason, now }: RevokedBy,
): Promise<FamilyRevocation & { epoch: number | null }> {
  const reached = new Set<string>();
  const hit: string[] = [];
  let epoch: number | null = null;
  const waiting = new Set<string>();
  const wait = (rows: { session_id: string }[]) => {
    for (const { session_id } of rows) if (!reached.has(session_id)) waiting.add(session_id);
  };
  wait(await sql<{ session_id: string }[]>`select l.session_id from leases l where ${roots(sql)}`);
  while (waiting.size > 0) {
    await inTransaction(sql, async (tx) => {
      // Nobody issues meanwhile: a line must not grow at its end as fast as it is ended from its start.
      await lockFamilies(tx, 'alone');
      let ended = 0;
      for (let room = FAMILY_AT_ONCE; room > 0 && waiting.size > 0;) {
        const part = [...waiting].slice(0, room);
        room -= part.length;
        for (const id of part) {
          waiting.delete(id);
          reached.add(id);
        }
        const rows = await tx<{ session_id: string }[]>`
          update leases set revoked_at = ${now}, revoked_by = ${storableText(by)}, revoke_reason = ${storableText(reason)}, told_at = ${now}
          where session_id = any(${part}::text[]) and (revoked_at is null or revoked_at > ${now}) and deadline_at > ${now}
          returning session_id`;
        hit.push(...rows.map((one) => one.session_id));
        ended += rows.length;
        wait(
          await tx<{ session_id: string }[]>`
            select session_id from leases where issuer_id = any(${part}::text[]) and zone is not distinct from ${zone}
            union select session_id from leases where rotated_from = any(${part}::text[]) and zone is not distinct from ${zone}
            union select rotated_from from leases where session_id = any(${part}::text[]) and rotated_from is not null`,
        );
      }
      if (ended > 0) epoch = await bumpEpoch(tx, zone);
    });
  }
  return { hit, family: [...reached], epoch };
}

/**
 * Lets one live lease end at `until`, and not its family: its successor answers for that. False when it is not live, or is already ending:
 * it has its successor then.
 */
export async function retireLease(
  tx: AnySql,
  session_id: string,
  until: string,
  { by, reason, now }: RevokedBy,
): Promise<boolean> {
  const hit = await tx`
    update leases set revoked_at = least(deadline_at, ${until}::timestamptz), revoked_by = ${storableText(by)},
      revoke_reason = ${storableText(reason)}, told_at = case when ${until <= now}::boolean then ${now}::timestamptz end
    where session_id = ${storableText(session_id)} and revoked_at is null and deadline_at > ${now}
    returning 1`;
  return hit.length > 0;
}
