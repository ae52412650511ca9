import { describe, expect, test } from '@jest/globals';
import { leaseMaker, NOW } from './lease-maker.suite.js';
import type { StoreBench } from './store.suite.js';
import { until } from './until.suite.js';

/** Leases that were issued by leases. */
export function leaseFamilyCases(bench: StoreBench): void {
  const { rows, lease, under, rotate, largeFamily } = leaseMaker(bench);
  const status = async (one: { session_id: string }) => (await rows().get(one.session_id))?.status;
  const ids = (leases: readonly { session_id: string }[] | undefined) =>
    leases?.map((one) => one.session_id).sort();

  describe('lease families', () => {
    test('a revoke ends what the lease issued, at any depth, with one step of the epoch', async () => {
      const zone = bench.id('zone');
      const parent = await rows().insert(lease({ zone }));
      const child = await rows().insert(under(parent));
      const [grandchild, other_grandchild] = [
        await rows().insert(under(child)),
        await rows().insert(under(child)),
      ];
      const stranger = await rows().insert(lease({ zone }));
      const ended = await rows().revoke(parent.session_id, 'operator:ann', 'left the team');
      expect(ended).toMatchObject({ epoch: 1, changed: true, lease: { session_id: parent.session_id } });
      expect(ids(ended?.descendants)).toEqual(ids([child, grandchild, other_grandchild]));
      for (const one of ended?.descendants ?? []) {
        expect(one).toMatchObject({
          status: 'revoked',
          revoked_at: NOW,
          revoked_by: 'operator:ann',
          revoke_reason: 'left the team',
        });
      }
      expect(await status(stranger)).toBe('active');
      expect(await rows().epoch(zone)).toBe(1);
      const again = await rows().revoke(parent.session_id, 'operator:bob', 'me too');
      expect(again).toEqual({ ...ended, changed: false });
    });

    test('a family too large for one transaction ends whole, in steps that leave room for others', async () => {
      const zone = bench.id('zone');
      const parent = await rows().insert(lease({ zone }));
      const below = await largeFamily(parent.session_id, zone);
      const stranger = await rows().insert(lease({ zone }));
      const ended = await rows().revoke(parent.session_id, 'operator:ann', 'grew too large');
      expect(ended).toMatchObject({ changed: true, lease: { status: 'revoked' } });
      expect(ids(ended?.descendants)).toEqual([...below].sort());
      expect(ended!.descendants.every((one) => one.status === 'revoked')).toBe(true);
      expect(await status(stranger)).toBe('active');
      expect(ended!.epoch).toBeGreaterThan(2);
      expect(await rows().epoch(zone)).toBe(ended!.epoch);
      const again = await rows().revoke(parent.session_id, 'operator:bob', 'me too');
      expect([again!.changed, again!.lease.revoked_by, again!.descendants.length]).toEqual([
        false,
        'operator:ann',
        below.length,
      ]);
    }, 60_000);

    test('revoking a child leaves its parent; an expired descendant stays what it was', async () => {
      const zone = bench.id('zone');
      const parent = await rows().insert(lease({ zone }));
      const child = await rows().insert(under(parent));
      const lapsed = await rows().insert(under(child, { deadline_at: NOW }));
      expect((await rows().revoke(child.session_id, 'operator:ann', 'x'))?.descendants).toEqual([]);
      expect([await status(parent), await status(lapsed)]).toEqual(['active', 'expired']);
    });

    test('what a member issued before it was rotated away ends with the family too', async () => {
      const zone = bench.id('zone');
      const parent = await rows().insert(lease({ zone }));
      const child = await rows().insert(under(parent));
      const grandchild = await rows().insert(under(child));
      await rotate(child.session_id, under(parent));
      expect(await status(grandchild)).toBe('active');
      expect((await rows().revoke(parent.session_id, 'operator:ann', 'x'))?.epoch).toBe(2);
      expect(await status(grandchild)).toBe('revoked');
    });

    test('what the line of a lease issued ends with whichever bearer of the line is revoked', async () => {
      for (const victim of [0, 1, 2]) {
        const first = await rows().insert(lease());
        const early_child = await rows().insert(under(first));
        const second = (await rotate(first.session_id, lease()))!.lease;
        const child = await rows().insert(under(second));
        const third = (await rotate(second.session_id, lease()))!.lease;
        const line = [first, second, third];
        const ended = await rows().revoke(line[victim]!.session_id, 'operator:ann', 'x');
        expect(ended?.descendants.map((one) => one.session_id)).toEqual(
          expect.arrayContaining(
            [early_child, child, third]
              .map((one) => one.session_id)
              .filter((id) => id !== line[victim]!.session_id),
          ),
        );
        for (const one of [...line, early_child, child]) expect(await status(one)).toBe('revoked');
      }
    });

    test('revoking a child leaves the line above it', async () => {
      const first = await rows().insert(lease());
      const child = await rows().insert(under(first));
      const next = (await rotate(first.session_id, lease()))!.lease;
      await rows().revoke(child.session_id, 'operator:ann', 'x');
      expect([await status(child), await status(next)]).toEqual(['revoked', 'active']);
    });

    test('a revoke in the overlap ends both bearers, by either id', async () => {
      for (const by_old of [true, false]) {
        const old = await rows().insert(lease());
        const next = (await rotate(old.session_id, lease(), '2026-05-01T12:30:00.000Z'))!.lease;
        expect(await status(old)).toBe('active');
        const ended = await rows().revoke((by_old ? old : next).session_id, 'operator:ann', 'leaked');
        expect(ended).toMatchObject({ changed: true, lease: { revoked_at: NOW, revoke_reason: 'leaked' } });
        expect([await status(old), await status(next)]).toEqual(['revoked', 'revoked']);
      }
    });

    test('who rotates a lease of another and sees its bearer takes it along', async () => {
      const admin = await rows().insert(lease());
      const victim = await rows().insert(lease());
      const next = (await rotate(victim.session_id, under(admin)))!.lease;
      await rows().revoke(admin.session_id, 'operator:ann', 'x');
      expect(await status(next)).toBe('revoked');
    });

    test('leases that name one another, or an issuer of another zone', async () => {
      const [zone, other_zone] = [bench.id('zone'), bench.id('zone')];
      const parent = await rows().insert(lease({ zone }));
      const child = await rows().insert(under(parent));
      const foreign = await rows().insert(lease({ zone: other_zone }));
      const name_issuer = (one: { session_id: string }, issuer: { session_id: string }) =>
        bench.store
          .sql`update leases set issuer_id = ${issuer.session_id} where session_id = ${one.session_id}`;
      await name_issuer(parent, child);
      await name_issuer(foreign, child);
      const ended = await rows().revoke(parent.session_id, 'operator:ann', 'x');
      expect(ids(ended?.descendants)).toEqual(ids([child]));
      expect(await status(foreign)).toBe('active');
    });

    test('a revoked lease, or one that nobody knows here, issues nothing', async () => {
      const parent = await rows().insert(lease());
      await rows().revoke(parent.session_id, 'operator:ann', 'x');
      const elsewhere = await rows().insert(lease({ zone: bench.id('zone') }));
      for (const issuer of [
        parent,
        { session_id: 'lse_none', zone: 'zone-a' },
        { ...elsewhere, zone: 'zone-a' },
      ]) {
        const child = under(issuer);
        await expect(rows().insert(child)).rejects.toMatchObject({ code: 'lease_revoked' });
        expect(await rows().get(child.session_id)).toBeNull();
      }
    });

    test('a lease that is being issued while its issuer is revoked ends with it', async () => {
      const parent = await rows().insert(lease());
      const child = under(parent);
      const rival = bench.connect({ max: 1 });
      let revoking: ReturnType<ReturnType<typeof rows>['revoke']> | undefined;
      await bench.store.sql.begin(async (tx) => {
        await rows(tx).insert(child);
        let done = false;
        revoking = rows(rival.sql).revoke(parent.session_id, 'operator:ann', 'x');
        void revoking.then(() => (done = true));
        // Until the revocation stands in line behind us; one that does not is done.
        await until(async () => {
          const waiting = await bench.store.sql`
            select 1 from pg_locks where locktype = 'advisory' and not granted
              and database = (select oid from pg_database where datname = current_database())`;
          return done || waiting.length > 0;
        });
      });
      expect(ids((await revoking)?.descendants)).toEqual([child.session_id]);
      expect(await status(child)).toBe('revoked');
    });
  });
}
