import { afterAll, beforeAll, describe } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { approvalCases } from './approvals.suite.js';
import { admissionCases } from './admissions.suite.js';
import { connectStore, type Store } from './connect.js';
import { leaseFamilyCases } from './lease-families.suite.js';
import { leaseCases } from './leases.suite.js';
import { migrate } from './migrate.js';
import { migrateCases } from './migrate.suite.js';
import { operatorChangeCases } from './operator-changes.suite.js';
import { operatorCases } from './operators.suite.js';
import { policyCases } from './policies.suite.js';
import { recordQueryCases } from './record-query.suite.js';
import { recordCases } from './records.suite.js';
import { runCases } from './runs.suite.js';
import { targetCases } from './targets.suite.js';

/** What a case gets: a migrated store of its own, and a way to open more pools on it. */
export interface StoreBench {
  store: Store;
  url: string;
  /** Opens another pool, closed after the suite. `schema` defaults to the bench's. */
  connect(options?: { max?: number; schema?: string; url?: string; statement_timeout_ms?: number }): Store;
  /** A fresh id: cases share the tables and must not see each other. */
  id(prefix: string): string;
}

/** Every promise of the store, on a server that `make` provides. The schema is random and dropped at the end. */
export function storeSuite(name: string, make: () => Promise<{ url: string; stop(): Promise<void> }>): void {
  describe(`store on ${name}`, () => {
    const bench = {} as StoreBench;
    const pools: Store[] = [];
    let stop: () => Promise<void>;

    beforeAll(async () => {
      const server = await make();
      stop = server.stop;
      const own = `test_${randomBytes(6).toString('hex')}`;
      bench.url = server.url;
      bench.id = (prefix) => `${prefix}_${randomBytes(6).toString('hex')}`;
      bench.connect = ({ max = 4, schema = own, url = server.url, statement_timeout_ms = 10_000 } = {}) => {
        const store = connectStore({
          url,
          schema,
          max,
          application_name: 'store-suite',
          statement_timeout_ms,
        });
        pools.push(store);
        return store;
      };
      bench.store = bench.connect();
      await migrate(bench.store.sql, own);
    }, 60_000);

    afterAll(async () => {
      for (const { schema } of pools) {
        if (schema.startsWith('test_'))
          await bench.store.sql`drop schema if exists ${bench.store.sql(schema)} cascade`;
      }
      await Promise.all(pools.map((pool) => pool.close()));
      await stop();
    }, 60_000);

    migrateCases(bench);
    approvalCases(bench);
    leaseCases(bench);
    leaseFamilyCases(bench);
    operatorCases(bench);
    operatorChangeCases(bench);
    runCases(bench);
    policyCases(bench);
    admissionCases(bench);
    targetCases(bench);
    recordCases(bench);
    recordQueryCases(bench);
  });
}
