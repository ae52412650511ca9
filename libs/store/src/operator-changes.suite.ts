import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Operator } from '@adaos/contracts';
import { leaseMaker, NOW } from './lease-maker.suite.js';
import { MIGRATIONS, migrate } from './migrate.js';
import { operatorRows } from './operators.js';
import type { StoreBench } from './store.suite.js';
import { leaseRows } from './leases.js';

const CONFIGURED = { grant_id: 'idp:root', role: null };

/** Operators who come, change and go, and what they handed out. */
export function operatorChangeCases(bench: StoreBench): void {
  const { rows, lease, largeFamily } = leaseMaker(bench);
  const operators = (sql = bench.store.sql) => operatorRows(sql, { now: () => new Date(NOW) });
  const make = (
    zone: string,
    role: Operator['role'],
    maker = CONFIGURED as { grant_id: string; role: string | null },
  ) =>
    operators().create(
      {
        operator_id: bench.id('opr'),
        token_hmac: randomBytes(32),
        name: bench.id('ann'),
        role,
        zone,
        created_by: 'operator:root',
      },
      maker,
    );
  const makerOf = ({ operator_id, role }: Operator) => ({ grant_id: operator_id, role });
  const issue = (by: Operator, capabilities: string[]) =>
    rows().insert(
      lease({ zone: by.zone, issuer_id: by.operator_id, issued_by: `operator:${by.name}`, capabilities }),
      makerOf(by),
    );
  const set = (
    one: Operator,
    change: { role?: Operator['role']; disabled?: boolean; holds?: string[] },
    sql?: typeof bench.store.sql,
    maker: Parameters<typeof make>[2] = CONFIGURED,
  ) =>
    operators(sql).set(one.zone, one.operator_id, {
      role: change.role ?? one.role,
      disabled: change.disabled ?? false,
      holds: change.holds ?? [],
      by: 'operator:root',
      maker,
    });
  const status = async (one: { session_id: string }) => (await rows().get(one.session_id))?.status;

  describe('changes of operators', () => {
    test('disabling ends what the operator issued, with its families, in one step of the epoch', async () => {
      const zone = bench.id('zone');
      const ann = await make(zone, 'operator');
      const bob = await make(zone, 'operator');
      const issued = await issue(ann, ['a']);
      const below = await rows().insert(lease({ zone, issuer_id: issued.session_id }));
      const other = await issue(bob, ['a']);
      const change = await set(ann, { disabled: true });
      expect(change).toMatchObject({ epoch: 1, changed: true, operator: { status: 'disabled' } });
      expect(change?.ended.map((one) => one.session_id).sort()).toEqual(
        [issued.session_id, below.session_id].sort(),
      );
      expect(await status(other)).toBe('active');
      expect(await set(ann, { disabled: true })).toMatchObject({ epoch: 1, changed: false, ended: [] });
      // Back again: what ended stays ended.
      expect(await set(ann, { disabled: false })).toMatchObject({
        epoch: 2,
        operator: { disabled_at: null },
      });
      expect(await status(issued)).toBe('revoked');
    });

    test('one who issued more than one transaction ends is disabled all the same, and a repeat ends what a crash left', async () => {
      const zone = bench.id('zone');
      const ann = await make(zone, 'operator');
      const below = await largeFamily(ann.operator_id, zone);
      const change = await set(ann, { disabled: true });
      expect(change?.ended.map((one) => one.session_id).sort()).toEqual([...below].sort());
      expect(change!.epoch).toBeGreaterThan(2);
      await bench.store.sql`
        update leases set revoked_at = null, revoked_by = null, revoke_reason = null where session_id = ${below.at(-1)!}`;
      const again = await set(ann, { disabled: true });
      expect([again!.changed, again!.ended.map((one) => one.session_id)]).toEqual([false, [below.at(-1)]]);
    }, 60_000);

    test('with a lesser role only what is beyond it ends', async () => {
      const zone = bench.id('zone');
      const ann = await make(zone, 'operator');
      const [wide, narrow] = [await issue(ann, ['a', 'b']), await issue(ann, ['a'])];
      await set(ann, { role: 'viewer', holds: ['a', 'c'] });
      expect([await status(wide), await status(narrow)]).toEqual(['revoked', 'active']);
    });

    test('who was disabled or demoted meanwhile hands nothing out any more', async () => {
      const zone = bench.id('zone');
      const ann = await make(zone, 'operator');
      const admin = await make(zone, 'admin');
      await make(zone, 'admin');
      await set(ann, { role: 'viewer' });
      await set(admin, { disabled: true });
      await expect(issue(ann, ['a'])).rejects.toMatchObject({ code: 'lease_revoked' });
      await expect(issue(admin, ['a'])).rejects.toMatchObject({ code: 'lease_revoked' });
      await expect(make(zone, 'admin', makerOf(admin))).rejects.toMatchObject({ code: 'lease_revoked' });
      const token = operators().replaceToken(zone, ann.operator_id, randomBytes(32), makerOf(admin));
      await expect(token).rejects.toMatchObject({ code: 'lease_revoked' });
      const back = set(admin, { disabled: false }, undefined, makerOf(admin));
      await expect(back).rejects.toMatchObject({ code: 'lease_revoked' });
    });

    test('of admins who remove one another at once, one stays', async () => {
      const pools = Array.from({ length: 4 }, () => bench.connect({ max: 1 }));
      for (let round = 0; round < 3; round++) {
        const zone = bench.id('zone');
        const admins = await Promise.all(pools.map(() => make(zone, 'admin')));
        const outcomes = await Promise.allSettled(
          admins.map((one, i) => set(one, i % 2 ? { disabled: true } : { role: 'viewer' }, pools[i]!.sql)),
        );
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
        expect(refused.map((one) => one.reason.details.rule)).toEqual(['last_admin']);
        const { items } = await operators().list(zone, { role: 'admin', status: 'active' });
        expect(items).toHaveLength(1);
      }
    });

    test('a name is one operator’s; a new token replaces the old; another zone sees neither', async () => {
      const zone = bench.id('zone');
      const ann = await make(zone, 'viewer');
      const twin = { ...ann, operator_id: bench.id('opr'), token_hmac: randomBytes(32) };
      const row = { operator_id: twin.operator_id, token_hmac: twin.token_hmac, name: ann.name, zone };
      await expect(
        operators().create({ ...row, role: 'viewer', created_by: 'x' }, CONFIGURED),
      ).rejects.toMatchObject({ code: 'conflict' });
      const token = randomBytes(32);
      expect(await operators().replaceToken(bench.id('zone'), ann.operator_id, token, CONFIGURED)).toBeNull();
      expect(await operators().replaceToken(zone, ann.operator_id, token, CONFIGURED)).toMatchObject({
        epoch: 1,
      });
      expect((await operators().findByTokenHmac([token]))?.operator_id).toBe(ann.operator_id);
      expect(await operators().get(bench.id('zone'), ann.operator_id)).toBeNull();
      expect(await set({ ...ann, zone: bench.id('zone') }, { disabled: true })).toBeNull();
    });

    test('leases of older builds keep their issuers', async () => {
      const { sql, schema } = bench.connect({ schema: bench.id('test'), max: 2 });
      await migrate(
        sql,
        schema,
        MIGRATIONS.filter(({ name }) => name < '0011'),
      );
      const { issuer_id: _, ...old } = lease({ issued_by: 'operator:ann', session_id: 'lse_old' });
      const child = { ...old, session_id: 'lse_child', token_hmac: randomBytes(32) };
      await sql`insert into operators ${sql({ operator_id: 'opr_ann', token_hmac: randomBytes(32), name: 'ann', role: 'operator', zone: old.zone })}`;
      await sql`insert into leases ${sql([old, { ...child, issued_by: 'mcp_session_lease:lse_old' }])}`;
      await migrate(sql, schema);
      const leases = leaseRows(sql, { now: () => new Date(NOW) });
      expect((await leases.get('lse_child'))?.issuer_id).toBe('lse_old');
      const change = await operatorRows(sql).set(old.zone, 'opr_ann', {
        role: 'operator',
        disabled: true,
        holds: [],
        by: 'operator:root',
        maker: CONFIGURED,
      });
      expect(change?.ended).toHaveLength(0);
      expect((await leases.revoke('lse_old', 'operator:bob', 'x'))?.descendants).toMatchObject([
        { session_id: 'lse_child' },
      ]);
    });
  });
}
