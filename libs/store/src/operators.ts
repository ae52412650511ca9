import { OpError, sha256, type Operator } from '@adaos/contracts';
import { selectLeases, type Credential } from './credential.js';
import { inTransaction, type AnySql } from './fault.js';
import {
  bumpEpoch,
  checkMaker,
  isLargeFamily,
  lockFamilies,
  revokeFamily,
  revokeInSteps,
  type Maker,
} from './lease-revocation.js';
import { pageOf, type Page } from './page.js';
import { codeOf } from './start-error.js';
import { packCursor, storableText } from './text.js';

const MAX_ZONE_IN_ID = 50;

/**
 * Id of the operator that a zone's configuration names: zones that share a database have one each. An id holds 64 characters and a zone's name
 * up to 63, so a long name goes in as the head of its SHA-256.
 */
export const bootstrapOperatorId = (zone: string): string =>
  `opr_bootstrap_${zone.length <= MAX_ZONE_IN_ID ? zone : sha256(zone).slice(0, MAX_ZONE_IN_ID)}`;

type Identified = Pick<Operator, 'operator_id' | 'name' | 'role' | 'zone'>;

export interface OperatorFilter {
  role?: Operator['role'];
  status?: Operator['status'];
  limit?: number;
  cursor?: string;
}

export interface OperatorChange {
  operator: Operator;
  /** The zone's epoch after the call. */
  epoch: number;
  /** False when it was so already. */
  changed: boolean;
  /** Credentials they had issued that ended with the change. */
  ended: Credential[];
}

/** Operators in SQL: the people and pipelines who hold an operator token. The token's HMAC never leaves the table. */
export function operatorRows(sql: AnySql, deps: { now: () => Date } = { now: () => new Date() }) {
  const select = (tx: AnySql, where: ReturnType<AnySql>) => tx<Operator[]>`
    select o.operator_id, o.name, o.role, o.zone, case when o.disabled_at is null then 'active' else 'disabled' end as status,
      o.created_at, o.created_by, o.disabled_at, u.last_used_at, coalesce(u.use_count, 0) as use_count
    from operators o left join lease_usage u on u.session_id = o.operator_id where ${where}`;
  const one = async (tx: AnySql, zone: string, operator_id: string): Promise<Operator | null> =>
    (
      await select(tx, tx`o.operator_id = ${storableText(operator_id)} and o.zone = ${storableText(zone)}`)
    )[0] ?? null;

  return {
    /**
     * Makes the operator that the configuration names, or gives it the configured token, name and role again. A replaced token bumps the zone's
     * epoch with it, so that grants which routers resolved from the old one end, and enables the operator again: whoever sets the
     * configuration runs the zone, and must not be locked out of it.
     * @throws OpError conflict when another operator has that token or name, or another zone that id.
     */
    async upsertBootstrap(operator: Identified & { token_hmacs: readonly Uint8Array[] }): Promise<Operator> {
      const { operator_id, token_hmacs, role, zone } = operator;
      const name = storableText(operator.name);
      const token_hmac = token_hmacs[0]!;
      return orConflict(operator_id, () =>
        inTransaction(sql, async (tx) => {
          const [made] = await tx`
            insert into operators ${tx({ operator_id, token_hmac, name, role, zone })}
            on conflict (operator_id) do nothing returning 1`;
          if (made) return (await one(tx, zone, operator_id)) as Operator;
          // Locked: of replicas that start together, the first finds the old token and the others the new one.
          const [before] = await tx<{ zone: string; replaced: boolean }[]>`
            select zone, token_hmac not in ${tx(token_hmacs as Uint8Array[])} as replaced from operators
            where operator_id = ${operator_id} for update`;
          if (before?.zone !== zone) throw new OpError('conflict', { operator_id });
          await tx`
            update operators set token_hmac = ${token_hmac}, name = ${name}, role = ${role},
              disabled_at = case when ${before.replaced} then null else disabled_at end
            where operator_id = ${operator_id}`;
          if (before.replaced) await bumpEpoch(tx, zone);
          return (await one(tx, zone, operator_id)) as Operator;
        }),
      );
    },

    /** @throws OpError conflict when the name is taken, lease_revoked when who makes them may not any more. */
    async create(
      operator: Identified & { token_hmac: Uint8Array; created_by: string },
      maker: Maker,
    ): Promise<Operator> {
      const { operator_id, zone } = operator;
      return orConflict(operator_id, () =>
        inTransaction(sql, async (tx) => {
          await lockFamilies(tx, 'shared');
          await checkMaker(tx, maker, zone, deps.now().toISOString());
          await tx`insert into operators ${tx({ ...operator, name: storableText(operator.name) })}`;
          return (await one(tx, zone, operator_id)) as Operator;
        }),
      );
    },

    /** The operator who holds this token under any of the hashes, disabled or not; null when nobody does. */
    async findByTokenHmac(hmacs: readonly Uint8Array[]): Promise<Operator | null> {
      return (await select(sql, sql`o.token_hmac in ${sql(hmacs as Uint8Array[])}`))[0] ?? null;
    },

    /** Stores the hash under the newest key for one that was found under an older. */
    async rehash(operator_id: string, hmacs: readonly Uint8Array[]): Promise<void> {
      await sql`
        update operators set token_hmac = ${hmacs[0]!}
        where operator_id = ${operator_id} and token_hmac in ${sql(hmacs.slice(1) as Uint8Array[])}`;
    },

    get: (zone: string, operator_id: string) => one(sql, zone, operator_id),

    /** Of a zone, by id: the oldest first. @throws OpError invalid_argument for a foreign cursor. */
    async list(zone: string, filter: OperatorFilter = {}): Promise<Page<Operator>> {
      const { limit, after } = pageOf(filter, ['text']);
      const disabled = filter.status === 'disabled';
      const rows = await select(
        sql,
        sql`o.zone = ${storableText(zone)} ${filter.role ? sql`and o.role = ${filter.role}` : sql``}
          ${filter.status ? sql`and (o.disabled_at is not null) = ${disabled}` : sql``}
          ${after ? sql`and o.operator_id > ${String(after[0])}` : sql``}
          order by o.operator_id limit ${limit + 1}`,
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, next_cursor: rows.length > limit && last ? packCursor([last.operator_id]) : null };
    },

    /**
     * Gives another role, disables or enables. What the operator had issued ends with it, unless the role it has now still holds all of that:
     * `holds` are that role's capabilities. Null when there is no such operator.
     * @throws OpError conflict for the last active admin, lease_revoked when who changes them may not any more: one who is being disabled must
     * not enable itself again.
     */
    async set(
      zone: string,
      operator_id: string,
      change: {
        role: Operator['role'];
        disabled: boolean;
        holds: readonly string[];
        by: string;
        maker: Maker;
      },
    ): Promise<OperatorChange | null> {
      const now = deps.now().toISOString();
      const { role, disabled, by, holds } = change;
      const why = { by, now, reason: disabled ? 'its issuer was disabled' : 'its issuer holds less now' };
      const roots = (on: AnySql): ReturnType<AnySql> =>
        on`l.issuer_id = ${storableText(operator_id)} and l.zone = ${storableText(zone)}
          ${disabled ? on`` : on`and not l.capabilities <@ ${holds as string[]}::text[]`}`;
      const endedOf = (on: AnySql, hit: readonly string[]) =>
        selectLeases(on, now, on`l.session_id = any(${hit as string[]}::text[]) order by l.session_id`);
      const set = await inTransaction(sql, async (tx) => {
        await lockFamilies(tx, 'alone');
        await checkMaker(tx, change.maker, zone, now);
        const before = await one(tx, zone, operator_id);
        if (!before) return null;
        if (isAdmin(before) && (disabled || role !== 'admin')) await checkOtherAdmin(tx, before);
        const changed = before.role !== role || (before.status === 'disabled') !== disabled;
        // What a crash left of a large family is ended by a repeat.
        const large = (changed || disabled) && (await isLargeFamily(tx, roots(tx)));
        if (!changed) return { operator: before, epoch: await epochOf(tx, zone), changed, ended: [], large };
        await tx`
          update operators set role = ${role}, disabled_at = ${disabled ? (before.disabled_at ?? now) : null}
          where operator_id = ${before.operator_id}`;
        const { hit } = large ? { hit: [] } : await revokeFamily(tx, roots(tx), why);
        const ended = await endedOf(tx, hit);
        const epoch = await bumpEpoch(tx, zone);
        const operator = (await one(tx, zone, before.operator_id)) as Operator;
        return { operator, epoch, changed, ended, large };
      });
      if (!set) return null;
      const { large, ...done } = set;
      if (!large) return done;
      const { hit, epoch } = await revokeInSteps(sql, roots, zone, why);
      return { ...done, epoch: epoch ?? done.epoch, ended: await endedOf(sql, hit) };
    },

    /** A new token in place of the old one. Null when there is no such operator. */
    async replaceToken(
      zone: string,
      operator_id: string,
      token_hmac: Uint8Array,
      maker: Maker,
    ): Promise<Omit<OperatorChange, 'ended' | 'changed'> | null> {
      return inTransaction(sql, async (tx) => {
        await lockFamilies(tx, 'shared');
        await checkMaker(tx, maker, zone, deps.now().toISOString());
        const hit = await tx`
          update operators set token_hmac = ${token_hmac}
          where operator_id = ${storableText(operator_id)} and zone = ${storableText(zone)} returning 1`;
        if (hit.length === 0) return null;
        const epoch = await bumpEpoch(tx, zone);
        return { operator: (await one(tx, zone, operator_id)) as Operator, epoch };
      });
    },
  };
}

const isAdmin = (operator: Operator) => operator.role === 'admin' && operator.status === 'active';

/** A zone without an admin could only be helped by its configuration. Under the lock that every such change takes. */
async function checkOtherAdmin(tx: AnySql, { operator_id, zone }: Operator): Promise<void> {
  const others = await tx`
    select 1 from operators where zone = ${zone} and role = 'admin' and disabled_at is null
      and operator_id <> ${operator_id} limit 1`;
  if (others.length === 0)
    throw new OpError('conflict', { operator_id, rule: 'last_admin' }, 'The last admin of a zone stays one.');
}

const epochOf = async (tx: AnySql, zone: string): Promise<number> =>
  (await tx<{ epoch: number }[]>`select epoch from lease_epoch where zone = ${zone}`)[0]?.epoch ?? 0;

async function orConflict<T>(operator_id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === '23505') throw new OpError('conflict', { operator_id });
    throw error;
  }
}

export type OperatorRows = ReturnType<typeof operatorRows>;
