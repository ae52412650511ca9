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
      const made = await operators.upsertBootstrap({ ...ann, token_hmacs: [old_token] });
      expect(made).toEqual({
        ...ann,
        status: 'active',
        created_at: made.created_at,
        created_by: 'configuration',
        disabled_at: null,
        last_used_at: null,
        use_count: 0,
      });
      await operators.upsertBootstrap({ ...ann, role: 'admin', token_hmacs: [new_token] });
      expect(await operators.findByTokenHmac([old_token])).toBeNull();
      expect(await operators.findByTokenHmac([new_token])).toEqual({ ...made, role: 'admin' });
      const rival = operators.upsertBootstrap({
        ...ann,
        operator_id: bench.id('opr'),
        token_hmacs: [new_token],
      });
      await expect(rival).rejects.toMatchObject({ code: 'conflict' });
      expect((await operators.list(zone)).items).toEqual([{ ...made, role: 'admin' }]);
      // A disabled one stays so at a restart, also one under a new key; a new token is the way back in.
      await bench.store.sql`update operators set disabled_at = now() where operator_id = ${ann.operator_id}`;
      const rekeyed = [randomBytes(32), new_token];
      expect((await operators.upsertBootstrap({ ...ann, token_hmacs: rekeyed })).status).toBe('disabled');
      const replaced = { ...ann, token_hmacs: [randomBytes(32)] };
      expect((await operators.upsertBootstrap(replaced)).status).toBe('active');
    });

    test('a replaced token bumps the epoch of its zone once, and nothing else does', async () => {
      const zone = bench.id('zone');
      const epoch = () => leaseRows(bench.store.sql).epoch(zone);
      const ann = operator(zone);
      const [old_token, new_token] = [randomBytes(32), randomBytes(32)];
      await operators().upsertBootstrap({ ...ann, token_hmacs: [old_token] });
      await operators().upsertBootstrap({ ...ann, name: 'Anna', token_hmacs: [old_token] });
      expect(await epoch()).toBe(0);
      await Promise.all(
        [1, 2, 3, 4].map(() => operators().upsertBootstrap({ ...ann, token_hmacs: [new_token] })),
      );
      expect(await epoch()).toBe(1);
      expect(await operators().findByTokenHmac([old_token])).toBeNull();
    });

    test('another zone can not take an operator over', async () => {
      const zone = bench.id('zone');
      const ann = operator(zone);
      const token_hmac = randomBytes(32);
      const made = await operators().upsertBootstrap({ ...ann, token_hmacs: [token_hmac] });
      for (const token of [token_hmac, randomBytes(32)]) {
        const taken = operators().upsertBootstrap({ ...ann, zone: bench.id('zone'), token_hmacs: [token] });
        await expect(taken).rejects.toMatchObject({ code: 'conflict' });
      }
      expect(await operators().findByTokenHmac([token_hmac])).toEqual(made);
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
          MIGRATIONS.filter(({ name }) => name < '0006'),
        );
        const token_hmac = randomBytes(32);
        const old = { ...operator(zone), operator_id: 'opr_bootstrap' };
        await sql`insert into operators ${sql({ ...old, token_hmac })}`;
        await migrate(sql, schema);
        const now = { ...old, operator_id: bootstrapOperatorId(zone) };
        expect(await operatorRows(sql).findByTokenHmac([token_hmac])).toMatchObject(now);
        // As the session service does at its start.
        const configured = { ...now, token_hmacs: [token_hmac] };
        expect(await operatorRows(sql).upsertBootstrap(configured)).toMatchObject({ zone });
      }
    });
  });
}
