import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { leaseRows } from './leases.js';
import { MIGRATIONS, migrate } from './migrate.js';
import { bootstrapOperatorId, operatorRows } from './operators.js';
import type { StoreBench } from './store.suite.js';

/** Operators. */
export function operatorCases(bench: StoreBench): void {
  describe('operators', () => {
    const operators = () => operatorRows(bench.store.sql);
    const operator = (zone: string) =>
      ({ operator_id: bench.id('opr'), name: 'Ann', role: 'operator', zone }) as const;

    test('the configured one is made once, takes a new token, and is not shared', async () => {
      const operators = operatorRows(bench.store.sql);
      const zone = bench.id('zone');
      const [old_token, new_token] = [randomBytes(32), randomBytes(32)];
      const ann = { operator_id: bench.id('opr'), name: 'Ann', role: 'operator', zone } as const;
      const made = await operators.upsertBootstrap({ ...ann, token_hmac: old_token });
      expect(made).toEqual({ ...ann, created_at: made.created_at, disabled_at: null });
      await operators.upsertBootstrap({ ...ann, role: 'admin', token_hmac: new_token });
      expect(await operators.findByTokenHmac(old_token)).toBeNull();
      expect(await operators.findByTokenHmac(new_token)).toEqual({ ...made, role: 'admin' });
      const rival = operators.upsertBootstrap({
        ...ann,
        operator_id: bench.id('opr'),
        token_hmac: new_token,
      });
      await expect(rival).rejects.toMatchObject({ code: 'conflict' });
      expect(await operators.list(zone)).toEqual([{ ...made, role: 'admin' }]);
      await bench.store.sql`update operators set disabled_at = now() where operator_id = ${ann.operator_id}`;
      expect(await operators.findByTokenHmac(new_token)).toBeNull();
    });

    test('a replaced token bumps the epoch of its zone once, and nothing else does', async () => {
      const zone = bench.id('zone');
      const epoch = () => leaseRows(bench.store.sql).epoch(zone);
      const ann = operator(zone);
      const [old_token, new_token] = [randomBytes(32), randomBytes(32)];
      await operators().upsertBootstrap({ ...ann, token_hmac: old_token });
      await operators().upsertBootstrap({ ...ann, name: 'Anna', token_hmac: old_token });
      expect(await epoch()).toBe(0);
      await Promise.all(
        [1, 2, 3, 4].map(() => operators().upsertBootstrap({ ...ann, token_hmac: new_token })),
      );
      expect(await epoch()).toBe(1);
      expect(await operators().findByTokenHmac(old_token)).toBeNull();
    });

    test('another zone can not take an operator over', async () => {
      const zone = bench.id('zone');
      const ann = operator(zone);
      const token_hmac = randomBytes(32);
      const made = await operators().upsertBootstrap({ ...ann, token_hmac });
      for (const token of [token_hmac, randomBytes(32)]) {
        const taken = operators().upsertBootstrap({ ...ann, zone: bench.id('zone'), token_hmac: token });
        await expect(taken).rejects.toMatchObject({ code: 'conflict' });
      }
      expect(await operators().findByTokenHmac(token_hmac)).toEqual(made);
    });

    test('the configured one of each zone has an id of its own, which always fits a grant', () => {
      expect(bootstrapOperatorId('local')).toBe('opr_bootstrap_local');
      const [one, two] = ['a', 'b'].map((end) => bootstrapOperatorId('z'.repeat(62) + end));
      expect(one).toHaveLength(64);
      expect(one).not.toBe(two);
    });

    test('the one that older builds shared among zones goes to the zone that has it', async () => {
      for (const zone of ['zone-b', 'z'.repeat(63)]) {
        const { sql, schema } = bench.connect({ schema: bench.id('test'), max: 2 });
        await migrate(
          sql,
          schema,
          MIGRATIONS.filter(({ name }) => name !== '0006_bootstrap_operators'),
        );
        const token_hmac = randomBytes(32);
        const old = { ...operator(zone), operator_id: 'opr_bootstrap', token_hmac };
        const made = await operatorRows(sql).upsertBootstrap(old);
        await migrate(sql, schema);
        const operator_id = bootstrapOperatorId(zone);
        expect(await operatorRows(sql).findByTokenHmac(token_hmac)).toEqual({ ...made, operator_id });
        // As the session service does at its start.
        expect(await operatorRows(sql).upsertBootstrap({ ...old, operator_id })).toMatchObject({ zone });
      }
    });
  });
}
