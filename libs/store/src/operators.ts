import { OpError, ROLES } from '@adaos/contracts';
import type { AnySql } from './fault.js';
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

/** Operators in SQL: the people and pipelines who hold an operator token. The token's HMAC never leaves the table. */
export function operatorRows(sql: AnySql) {
  const columns = sql`operator_id, name, role, zone, created_at, disabled_at`;
  return {
    /**
     * Makes the operator that the configuration names, or gives it the configured token, name and role again.
     * @throws OpError conflict when another operator has that token.
     */
    async upsertBootstrap(
      operator: Pick<Operator, 'operator_id' | 'name' | 'role' | 'zone'> & { token_hmac: Uint8Array },
    ): Promise<Operator> {
      try {
        const [row] = await sql<Operator[]>`
          insert into operators ${sql({ ...operator, name: storableText(operator.name) })}
          on conflict (operator_id) do update
          set token_hmac = excluded.token_hmac, name = excluded.name, role = excluded.role, zone = excluded.zone
          returning ${columns}`;
        return row as Operator;
      } catch (error) {
        if (codeOf(error) === '23505') throw new OpError('conflict', { operator_id: operator.operator_id });
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
