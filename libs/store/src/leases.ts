import { OpError, type SessionLease } from '@adaos/contracts';
import {
  judged,
  selectLeases,
  within,
  type Credential,
  type CredentialKind,
  type LeaseScope,
  type NewLease,
} from './credential.js';
import type { AnySql } from './fault.js';
import { inTransaction } from './fault.js';
import {
  bumpEpoch,
  checkMaker,
  endOne,
  isLargeFamily,
  lockFamilies,
  retireLease,
  revokeFamily,
  revokeInSteps,
  type Maker,
} from './lease-revocation.js';
import { pageOf, type Page } from './page.js';
import { codeOf } from './start-error.js';
import { packCursor, storableText } from './text.js';

export interface LeaseFilter extends Partial<LeaseScope> {
  status?: SessionLease['status'];
  /** Only what opens something now. */
  active_only?: boolean;
  audience?: string;
  capability_profile?: string;
  /** 1 … 200, 50 when absent. */
  limit?: number;
  cursor?: string;
}

/** How many there are of each status, as of now, within a scope. */
export interface LeaseSummary {
  issued_count: number;
  active_count: number;
  expired_count: number;
  revoked_count: number;
  /** Active ones by profile, at most 100 profiles. */
  profiles: { capability_profile: string; active_count: number }[];
}

/** What ended by a revocation. */
export interface FamilyEnd {
  lease: Credential;
  /** The zone's epoch after the call. */
  epoch: number;
  /** False when it had ended before; who did that first, and why, stays. */
  changed: boolean;
  /** Others that ended with it; on a repeat the same ones again, so that they can be told again. */
  descendants: Credential[];
}

/** Live leases and tokens of a target: an agent that may issue some must not be able to issue without end. */
export const MAX_LIVE_PER_TARGET = 2_000;

/** Rotation of a lease: the successor, and the old one as it is now. */
export interface Rotation {
  lease: Credential;
  previous: Credential;
  epoch: number;
}

export interface LeaseUsage {
  session_id: string;
  use_count: number;
  last_used_at: string;
  last_tool_id: string | null;
}

/**
 * Leases, access tokens and API keys in SQL. Reads judge the status as of `now`: a lapsed one never shows as active. `sql` may be a
 * transaction, to join several steps.
 */
export function leaseRows(sql: AnySql, deps: { now: () => Date } = { now: () => new Date() }) {
  const now = () => deps.now().toISOString();
  const select = (where: ReturnType<AnySql>) => selectLeases(sql, now(), where);

  const get = async (session_id: string, scope: Partial<LeaseScope> = {}): Promise<Credential | null> =>
    (await select(sql`l.session_id = ${storableText(session_id)} ${within(sql, scope)}`))[0] ?? null;

  return {
    get,

    epoch: async (zone: string): Promise<number> =>
      (await sql<{ epoch: number }[]>`select epoch from lease_epoch where zone = ${storableText(zone)}`)[0]
        ?.epoch ?? 0,

    /**
     * @throws OpError conflict when the id or the token exists, lease_revoked when who issues it may not any more, concurrency_limited when its
     * target has all the live ones it may have.
     */
    async insert(
      lease: NewLease,
      maker: Maker = { grant_id: lease.issuer_id, role: null },
    ): Promise<Credential> {
      await inTransaction(sql, async (tx) => {
        await lockFamilies(tx, 'shared');
        await checkMaker(tx, maker, lease.zone, now());
        await checkRoom(tx, lease, now());
        await insertRow(tx, lease);
      });
      return (await get(lease.session_id)) as Credential;
    },

    /** The credential of a bearer under any of the hashes, whatever its status; null when nobody holds it. */
    async findByTokenHmac(hmacs: readonly Uint8Array[]): Promise<Credential | null> {
      return (await select(sql`l.token_hmac in ${sql(hmacs as Uint8Array[])}`))[0] ?? null;
    },

    /** Stores the hash under the newest key for one that was found under an older. */
    async rehash(session_id: string, hmacs: readonly Uint8Array[]): Promise<void> {
      await sql`
        update leases set token_hmac = ${hmacs[0]!}
        where session_id = ${session_id} and token_hmac in ${sql(hmacs.slice(1) as Uint8Array[])}`;
    },

    /** Newest first; each once, whatever is issued meanwhile. @throws OpError invalid_argument for a foreign cursor. */
    async list(filter: LeaseFilter): Promise<Page<Credential>> {
      const { limit, after } = pageOf(filter, ['instant', 'text']);
      const is = judged(sql, now());
      const equal = (['audience', 'capability_profile'] as const).map((column) =>
        filter[column] === undefined ? sql`` : sql`and l.${sql(column)} = ${storableText(filter[column])}`,
      );
      const rows = await select(sql`
        true ${within(sql, filter)} ${equal} ${filter.status ? sql`and ${is[filter.status]}` : sql``}
        ${filter.active_only ? sql`and ${is.active}` : sql``}
        ${after ? sql`and (l.created_at, l.session_id) < (${String(after[0])}::timestamptz, ${String(after[1])})` : sql``}
        order by l.created_at desc, l.session_id desc limit ${limit + 1}`);
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return {
        items,
        next_cursor: rows.length > limit && last ? packCursor([last.created_at, last.session_id]) : null,
      };
    },

    async summary(scope: LeaseScope): Promise<LeaseSummary> {
      const is = judged(sql, now());
      const groups = await sql<
        (Record<'issued' | 'active' | 'expired' | 'revoked', number> & { capability_profile: string })[]
      >`
        select l.capability_profile, count(*) as issued, count(*) filter (where ${is.active}) as active,
          count(*) filter (where ${is.expired}) as expired, count(*) filter (where ${is.revoked}) as revoked
        from leases l where true ${within(sql, scope)} group by l.capability_profile order by active desc, l.capability_profile`;
      const sum = (column: 'issued' | 'active' | 'expired' | 'revoked') =>
        groups.reduce((total, group) => total + group[column], 0);
      return {
        issued_count: sum('issued'),
        active_count: sum('active'),
        expired_count: sum('expired'),
        revoked_count: sum('revoked'),
        profiles: groups
          .filter(({ active }) => active > 0)
          .slice(0, 100)
          .map(({ capability_profile, active }) => ({ capability_profile, active_count: active })),
      };
    },

    /**
     * Ends a credential within the scope and its family. Idempotent; null when there is none. Bumps the zone's epoch once, and only when it
     * changes something; of a large family itself at once, the others in steps.
     */
    async revoke(
      session_id: string,
      by: string,
      reason: string,
      scope: Partial<LeaseScope> = {},
    ): Promise<FamilyEnd | null> {
      const at = now();
      const why = { by, reason, now: at };
      const root = (on: AnySql): ReturnType<AnySql> =>
        on`l.session_id = ${storableText(session_id)} ${within(on, scope)}`;
      const ended = await inTransaction(sql, async (tx) => {
        await lockFamilies(tx, 'alone');
        if (await isLargeFamily(tx, root(tx))) {
          // Itself at once, whatever the others take.
          const changed = await endOne(tx, root(tx), why);
          const lease = (await selectLeases(tx, at, root(tx)))[0] as Credential;
          return { lease, changed, epoch: await bumpEpoch(tx, lease.zone), descendants: null };
        }
        const { family, hit } = await revokeFamily(tx, root(tx), why, session_id);
        const [lease] = await selectLeases(tx, at, root(tx));
        if (!lease) return null;
        const descendants = await endedWith(tx, lease, family, at);
        const epoch =
          hit.length > 0 ? await bumpEpoch(tx, lease.zone) : await leaseRows(tx, deps).epoch(lease.zone);
        return { lease, epoch, changed: hit.includes(lease.session_id), descendants };
      });
      if (!ended) return null;
      const { lease, descendants } = ended;
      if (descendants) return { ...ended, descendants };
      const { family, epoch } = await revokeInSteps(sql, root, lease.zone, why);
      return { ...ended, epoch: epoch ?? ended.epoch, descendants: await endedWith(sql, lease, family, at) };
    },

    /**
     * Issues the successor of a live lease and lets that end at `until`, in one transaction. Null when it is not live any more, or has its
     * successor already: of many that race, one gets the new bearer. What the old lease issued lives on.
     * @throws OpError lease_revoked when who rotates may not any more.
     */
    async rotate(
      session_id: string,
      how: { by: string; reason: string; until: string; maker: Maker },
      next: NewLease,
    ): Promise<Rotation | null> {
      return inTransaction(sql, async (tx) => {
        await lockFamilies(tx, 'alone');
        const at = now();
        await checkMaker(tx, how.maker, next.zone, at);
        if (!(await retireLease(tx, session_id, how.until, { ...how, now: at }))) return null;
        await insertRow(tx, { ...next, rotated_from: session_id });
        const epoch = await bumpEpoch(tx, next.zone);
        const rows = leaseRows(tx, deps);
        const [lease, previous] = [await rows.get(next.session_id), await rows.get(session_id)];
        return { lease: lease!, previous: previous!, epoch };
      });
    },

    /** Those whose end has come and was not told yet, the oldest end first. `limit` at most 500. */
    async lapsed(zone: string, limit: number): Promise<Credential[]> {
      return select(sql`
        l.told_at is null and least(l.deadline_at, l.revoked_at) <= ${now()} and l.zone = ${storableText(zone)}
        order by least(l.deadline_at, l.revoked_at) limit ${Math.min(limit, 500)}`);
    },

    async told(session_ids: readonly string[]): Promise<void> {
      await sql`update leases set told_at = ${now()} where session_id = any(${session_ids as string[]}::text[]) and told_at is null`;
    },

    /** Use of the given credentials; one that was never used has no row. */
    async usage(session_ids: readonly string[]): Promise<LeaseUsage[]> {
      return sql<LeaseUsage[]>`
        select session_id, use_count, last_used_at, last_tool_id from lease_usage
        where session_id = any(${session_ids.map(storableText)}::text[])`;
    },
  };
}

/** Who ended when `lease` did or after it. Not who ended before: that was told by itself. */
const endedWith = (sql: AnySql, lease: Credential, family: readonly string[], at: string) =>
  selectLeases(
    sql,
    at,
    sql`l.session_id = any(${family as string[]}::text[]) and l.session_id <> ${lease.session_id}
      and l.revoked_at >= ${lease.revoked_at}::timestamptz
      order by l.created_at, l.session_id`,
  );

/** Two that are issued at once may go over by one: it bounds what a revocation has to end, and counts nothing exactly. */
async function checkRoom(tx: AnySql, { target_id, zone }: NewLease, at: string): Promise<void> {
  if (target_id === null) return;
  const live = await tx`
    select 1 from leases l where l.target_id = ${target_id} and l.zone = ${zone} and ${judged(tx, at).active}
    limit ${MAX_LIVE_PER_TARGET}`;
  if (live.length >= MAX_LIVE_PER_TARGET)
    throw new OpError(
      'concurrency_limited',
      { scope: 'target', limit: MAX_LIVE_PER_TARGET },
      'The target has as many live leases and tokens as it may have; revoke those that nobody uses.',
    );
}

async function insertRow(sql: AnySql, lease: NewLease): Promise<void> {
  const row = {
    ...lease,
    note: storableText(lease.note),
    kind: lease.kind ?? ('mcp_session_lease' satisfies CredentialKind),
    rotated_from: lease.rotated_from ?? null,
    name: lease.name === undefined || lease.name === null ? null : storableText(lease.name),
    role: lease.role ?? null,
    issue_profiles: lease.issue_profiles ?? null,
  };
  try {
    await sql`insert into leases ${sql(row)}`;
  } catch (error) {
    if (codeOf(error) === '23505') throw new OpError('conflict', { session_id: lease.session_id });
    throw error;
  }
}

export type LeaseRows = ReturnType<typeof leaseRows>;
