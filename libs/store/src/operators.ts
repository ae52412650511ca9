import { OpError, ROLES, sha256 } from '@adaos/contracts';
import { inTransaction, type AnySql } from './fault.js';
import { codeOf } from './start-error.js';
import { storableText } from './text.js';

export interface Operator {
  operator_id: string;
  name: string;
  role: (typeof ROLES)[number];
  zone: string;
  created_at: string;
  disabled_at: string | null;
}

const MAX_ZONE_IN_ID = 50;

/**
 * Id of the operator that a zone's configuration names: zones that share a database have one each. An id holds 64 characters and a zone's name
 * up to 63, so a long name goes in as the head of its SHA-256.
 */
export const bootstrapOperatorId = (zone: string): string =>
  `opr_bootstrap_${zone.length <= MAX_ZONE_IN_ID ? zone : sha256(zone).slice(0, MAX_ZONE_IN_ID)}`;

/** Operators in SQL: the people and pipelines who hold an operator token. The token's HMAC never leaves the table. */
export function operatorRows(sql: AnySql) {
  const columns = sql`operator_id, name, role, zone, created_at, disabled_at`;
  return {
    /**
     * Makes the operator that the configuration names, or gives it the configured token, name and role again. A replaced token bumps the zone's
     * epoch with it: grants that routers resolved from the old one end.
     * @throws OpError conflict when another operator has that token, or another zone that id.
     */
    async upsertBootstrap(
      operator: Pick<Operator, 'operator_id' | 'name' | 'role' | 'zone'> & { token_hmac: Uint8Array },
    ): Promise<Operator> {
      const { operator_id, token_hmac, role, zone } = operator;
      const name = storableText(operator.name);
      try {
        return await inTransaction(sql, async (tx) => {
          const [made] = await tx<Operator[]>`
            insert into operators ${tx({ operator_id, token_hmac, name, role, zone })}
            on conflict (operator_id) do nothing returning ${columns}`;
          if (made) return made;
          // Locked: of replicas that start together, the first finds the old token and the others the new one.
          const [before] = await tx<{ zone: string; replaced: boolean }[]>`
            select zone, token_hmac <> ${token_hmac} as replaced from operators
            where operator_id = ${operator_id} for update`;
          if (before?.zone !== zone) throw new OpError('conflict', { operator_id });
          const [row] = await tx<Operator[]>`
            update operators set token_hmac = ${token_hmac}, name = ${name}, role = ${role}
            where operator_id = ${operator_id} returning ${columns}`;
          if (before.replaced) {
            await tx`
              insert into lease_epoch as e (zone, epoch) values (${zone}, 1)
              on conflict (zone) do update set epoch = e.epoch + 1`;
          }
          return row as Operator;
        });
      } catch (error) {
        if (codeOf(error) === '23505') throw new OpError('conflict', { operator_id });
        throw error;
      }
    },

    /** The operator who holds this token; null when there is none or it is disabled. */
    async findByTokenHmac(token_hmac: Uint8Array): Promise<Operator | null> {
      const rows = await sql<Operator[]>`
        select ${columns} from operators where token_hmac = ${token_hmac} and disabled_at is null`;
      return rows[0] ?? null;
    },

    /** All operators of a zone by id; there are few. */
    async list(zone: string): Promise<Operator[]> {
      return sql<Operator[]>`
        select ${columns} from operators where zone = ${storableText(zone)} order by operator_id limit 1000`;
    },
  };
}

export type OperatorRows = ReturnType<typeof operatorRows>;
