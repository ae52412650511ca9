import { OpError } from '@adaos/contracts';
import type { ISql, PendingQuery, Row, Sql as DriverSql, TransactionSql } from 'postgres';
import { codeOf } from './start-error.js';

/** A pool. */
export type Sql = DriverSql;
/** A pool or one transaction of it: what single statements need. */
export type AnySql = ISql;

const DRIVER_CODES =
  /^(CONNECT_TIMEOUT|CONNECTION_\w+|E[A-Z]{3,}|ERR_TLS\w*|AUTH_TYPE_NOT_IMPLEMENTED|SASL_SIGNATURE_MISMATCH)$/;
/**
 * SQLSTATE classes and codes that say "the database can't serve this now" and nothing about the data: connection, login, no such
 * database, read-only replica, serialization and deadlock, resources, locks, cancel by timeout, shutdown, I/O.
 */
const STATES = /^(08...|28...|3D000|25006|25P03|40001|40P01|53...|55P03|57...|58...)$/;

/**
 * The error as callers may see it: a failure to reach or use the database becomes `dependency_unavailable` with the driver's error as
 * `cause`; everything else, such as a broken constraint, is given back as it is.
 */
export function storeFault(error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof OpError || !(DRIVER_CODES.test(code) || STATES.test(code))) return error;
  return Object.assign(new OpError('dependency_unavailable', { dependency: 'database' }), { cause: error });
}

/**
 * Wraps a pool so that each of its promises rejects with storeFault. The driver has no hook for it; its queries do carry their own
 * `reject`, which also serves queries that are cut off in the queue.
 */
export function withFaults<S extends AnySql>(sql: S): S {
  return new Proxy(sql, {
    apply: (target, self, args) => guard(Reflect.apply(target as never, self, args)),
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver);
      if (key === 'unsafe' || key === 'file') {
        return (...args: unknown[]) => guard((member as (...a: unknown[]) => unknown)(...args));
      }
      if (key === 'begin' || key === 'savepoint') {
        return (...args: unknown[]) => {
          const work = args.pop() as (tx: TransactionSql) => unknown;
          const call = member as (...a: unknown[]) => Promise<unknown>;
          return call(...args, (tx: TransactionSql) => work(withFaults(tx))).catch(rethrow);
        };
      }
      if (key === 'reserve') {
        return () => (member as () => Promise<AnySql>)().then((reserved) => withFaults(reserved), rethrow);
      }
      return member;
    },
  });
}

const rethrow = (error: unknown): never => {
  throw storeFault(error);
};

function guard(made: unknown): unknown {
  if (!(made instanceof Promise)) return made;
  const query = made as PendingQuery<Row[]> & { reject?: (error: unknown) => void };
  const reject = query.reject;
  if (reject) query.reject = (error) => reject.call(query, storeFault(error));
  return query;
}

/** Runs `work` in a transaction: in the caller's, when `sql` is one already. */
export function inTransaction<T>(sql: AnySql, work: (tx: AnySql) => Promise<T>): Promise<T> {
  return 'begin' in sql ? ((sql as Sql).begin((tx) => work(tx)) as Promise<T>) : work(sql);
}
