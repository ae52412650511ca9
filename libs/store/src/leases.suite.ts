import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { leaseMaker, NOW } from './lease-maker.suite.js';
import { leaseRows, MAX_LIVE_PER_TARGET } from './leases.js';
import type { StoreBench } from './store.suite.js';

/** Leases. */
export function leaseCases(bench: StoreBench): void {
  const { lease, rows, rotate } = leaseMaker(bench);

  describe('leases', () => {
    test('come back in the wire shape, by id and by token, without the token', async () => {
      const { token_hmac, ...wire } = lease();
      const stored = await rows().insert({ ...wire, token_hmac });
      const expected = {
        ...wire,
        kind: 'mcp_session_lease',
        name: null,
        role: null,
        issue_profiles: null,
        status: 'active',
        use_count: 0,
        last_used_at: null,
        last_tool_id: null,
        revoked_at: null,
        revoked_by: null,
        revoke_reason: null,
        rotated_from: null,
      };
      expect(stored).toEqual(expected);
      expect(await rows().findByTokenHmac([randomBytes(32), token_hmac])).toEqual(expected);
      expect(await rows().findByTokenHmac([randomBytes(32)])).toBeNull();
      expect(await rows().get('lse_none\0')).toBeNull();
    });

    test('the same id or the same token is a conflict', async () => {
      const one = lease();
      await rows().insert(one);
      await expect(rows().insert(lease({ session_id: one.session_id }))).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(rows().insert(lease({ token_hmac: one.token_hmac }))).rejects.toMatchObject({
        code: 'conflict',
      });
    });

    test('a target has a bounded number of live ones', async () => {
      const { sql } = bench.store;
      const target_id = bench.id('hub:full');
      const first = lease({ target_id });
      await rows().insert(first);
      await sql`
        insert into leases ${sql(
          Array.from({ length: MAX_LIVE_PER_TARGET - 1 }, () => ({
            ...lease({ target_id }),
            kind: 'mcp_session_lease',
          })),
        )}`;
      await expect(rows().insert(lease({ target_id }))).rejects.toMatchObject({
        code: 'concurrency_limited',
        details: { scope: 'target', limit: MAX_LIVE_PER_TARGET },
      });
      await rows().revoke(first.session_id, 'operator:ann', '');
      expect((await rows().insert(lease({ target_id }))).status).toBe('active');
    });

    test('expire by the clock alone, at the very millisecond', async () => {
      const { session_id } = await rows().insert(lease({ deadline_at: '2026-05-01T12:00:00.001Z' }));
      expect((await rows().get(session_id))?.status).toBe('active');
      const later = leaseRows(bench.store.sql, { now: () => new Date('2026-05-01T12:00:00.001Z') });
      expect((await later.get(session_id))?.status).toBe('expired');
    });

    test('a revoke counts the epoch once and keeps who came first', async () => {
      const zone = bench.id('zone');
      const { session_id } = await rows().insert(lease({ zone }));
      const { session_id: other } = await rows().insert(lease({ zone }));
      expect(await rows().epoch(zone)).toBe(0);
      const first = await rows().revoke(session_id, 'operator:ann', 'left the team');
      expect(first).toMatchObject({ epoch: 1, changed: true });
      expect(first?.lease).toMatchObject({
        status: 'revoked',
        revoked_at: NOW,
        revoked_by: 'operator:ann',
        revoke_reason: 'left the team',
      });
      const again = await rows().revoke(session_id, 'operator:bob', 'me too');
      expect(again).toEqual({ ...first, changed: false });
      expect((await rows().revoke(other, 'operator:ann', 'x'))?.epoch).toBe(2);
      expect(await rows().revoke('lse_none', 'operator:ann', 'x')).toBeNull();
      expect(await rows().epoch(zone)).toBe(2);
    });

    test('of many revokes at once one changes the lease', async () => {
      const zone = bench.id('zone');
      const { session_id } = await rows().insert(lease({ zone }));
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) => rows().revoke(session_id, `operator:${i}`, 'race')),
      );
      expect(outcomes.filter((outcome) => outcome?.changed)).toHaveLength(1);
      expect(await rows().epoch(zone)).toBe(1);
    });

    test('of many rotations at once one issues a bearer; a lapsed lease gives none', async () => {
      const zone = bench.id('zone');
      const { session_id } = await rows().insert(lease({ zone }));
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, () => rotate(session_id, lease({ zone }))),
      );
      const won = outcomes.filter((outcome) => outcome !== null);
      expect(won).toHaveLength(1);
      expect(won[0]).toMatchObject({ epoch: 1, lease: { rotated_from: session_id, status: 'active' } });
      const { items } = await rows().list({ zone });
      expect(items.map((item) => item.status).sort()).toEqual(['active', 'revoked']);
      const lapsed = await rows().insert(lease({ deadline_at: NOW }));
      expect(await rotate(lapsed.session_id, lease())).toBeNull();
    });

    test('a rotated lease stays live for its overlap, to the very millisecond, and has one successor', async () => {
      const zone = bench.id('zone');
      const { session_id } = await rows().insert(lease({ zone }));
      const until = '2026-05-01T12:05:00.000Z';
      const rotation = await rotate(session_id, lease({ zone }), until);
      expect(rotation?.previous).toMatchObject({
        status: 'active',
        revoked_at: until,
        revoke_reason: 'rotated',
      });
      expect(await rotate(session_id, lease({ zone }), until)).toBeNull();
      const at = (now: string) => leaseRows(bench.store.sql, { now: () => new Date(now) });
      expect((await at('2026-05-01T12:04:59.999Z').get(session_id))?.status).toBe('active');
      expect((await at(until).get(session_id))?.status).toBe('revoked');
      const ids = async (now: string) =>
        (await at(now).list({ zone, active_only: true })).items.map((item) => item.session_id);
      expect(await ids('2026-05-01T12:04:59.999Z')).toHaveLength(2);
      expect(await ids(until)).toEqual([rotation?.lease.session_id]);
    });

    test('an overlap never outlasts the deadline', async () => {
      const { session_id } = await rows().insert(lease({ deadline_at: '2026-05-01T12:01:00.000Z' }));
      const rotation = await rotate(session_id, lease(), '2026-05-01T12:30:00.000Z');
      expect(rotation?.previous.revoked_at).toBe('2026-05-01T12:01:00.000Z');
    });

    test('ten racing rotations and revokes leave at most one live bearer', async () => {
      const pools = Array.from({ length: 5 }, () => bench.connect({ max: 2 }));
      for (let round = 0; round < 5; round++) {
        const zone = bench.id('zone');
        const { session_id } = await rows().insert(lease({ zone }));
        // Odd rounds are rotations alone: their one successor must live.
        const revokes = round % 2 === 0;
        await Promise.all(
          Array.from({ length: 10 }, async (_, i) => {
            const { sql } = pools[i % pools.length]!;
            if (revokes && i % 3 === 2) return rows(sql).revoke(session_id, `operator:${i}`, 'race');
            const rotation = await rotate(session_id, lease({ zone }), NOW, sql);
            // And on: the successor is rotated while the others still try.
            return rotation && rotate(rotation.lease.session_id, lease({ zone }), NOW, sql);
          }),
        );
        const live = (await rows().list({ zone, active_only: true })).items;
        expect([round, live.length]).toEqual([round, revokes ? 0 : 1]);
      }
    });

    test('a bearer under an older key is found, and kept under the newest from then on', async () => {
      const [old_hmac, new_hmac] = [randomBytes(32), randomBytes(32)];
      const { session_id } = await rows().insert(lease({ token_hmac: old_hmac }));
      expect((await rows().findByTokenHmac([new_hmac, old_hmac]))?.session_id).toBe(session_id);
      await rows().rehash(session_id, [new_hmac, old_hmac]);
      expect((await rows().findByTokenHmac([new_hmac]))?.session_id).toBe(session_id);
      expect(await rows().findByTokenHmac([old_hmac])).toBeNull();
    });

    test('a scope is part of the statement: what is outside is neither read, counted nor ended', async () => {
      const zone = bench.id('zone');
      const one = await rows().insert(lease({ zone, subnet_id: 'subnet-1', target_id: 'hub:one' }));
      const scopes = [
        { zone: bench.id('zone') },
        { zone, subnet_id: 'subnet-2' },
        { zone, target_id: 'hub:two' },
        { zone, kind: 'access_token' },
      ] as const;
      for (const scope of scopes) {
        expect(await rows().get(one.session_id, scope)).toBeNull();
        expect((await rows().list(scope)).items).toEqual([]);
        expect((await rows().summary(scope)).issued_count).toBe(0);
        expect(await rows().revoke(one.session_id, 'operator:ann', 'x', scope)).toBeNull();
      }
      expect((await rows().get(one.session_id, { zone, subnet_id: 'subnet-1' }))?.status).toBe('active');
    });

    test('a summary counts what is so now', async () => {
      const zone = bench.id('zone');
      await rows().insert(lease({ zone }));
      await rows().insert(lease({ zone, capability_profile: 'AuditRead', deadline_at: NOW }));
      const gone = await rows().insert(lease({ zone }));
      await rows().revoke(gone.session_id, 'operator:ann', 'x');
      expect(await rows().summary({ zone })).toEqual({
        issued_count: 3,
        active_count: 1,
        expired_count: 1,
        revoked_count: 1,
        profiles: [{ capability_profile: 'InfraOpsRead', active_count: 1 }],
      });
    });

    test('an end that time brought is told once; one by revocation was told by itself', async () => {
      const zone = bench.id('zone');
      const lapsed = await rows().insert(lease({ zone, deadline_at: NOW }));
      const revoked = await rows().insert(lease({ zone }));
      await rows().revoke(revoked.session_id, 'operator:ann', 'x');
      const old = await rows().insert(lease({ zone }));
      await rotate(old.session_id, lease({ zone }), '2026-05-01T12:05:00.000Z');
      const ids = async (now: string) =>
        (await leaseRows(bench.store.sql, { now: () => new Date(now) }).lapsed(zone, 10)).map(
          (l) => l.session_id,
        );
      expect(await ids(NOW)).toEqual([lapsed.session_id]);
      await rows().told([lapsed.session_id]);
      expect(await ids(NOW)).toEqual([]);
      expect(await ids('2026-05-01T12:05:00.000Z')).toEqual([old.session_id]);
    });

    test('pages read each lease once, though all were issued in one millisecond', async () => {
      const zone = bench.id('zone');
      const ids = await Promise.all(
        Array.from({ length: 7 }, async () => (await rows().insert(lease({ zone }))).session_id),
      );
      const seen: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await rows().list({ zone, limit: 3, cursor });
        seen.push(...page.items.map((item) => item.session_id));
        cursor = page.next_cursor ?? undefined;
        pages += 1;
        // Issued between two pages: newer, so it belongs before what was read.
        await rows().insert(lease({ zone, created_at: '2026-05-01T11:00:00.000Z' }));
      } while (cursor);
      expect(pages).toBe(3);
      expect(seen).toEqual([...ids].sort().reverse());
    });

    test('filters by status, target, subnet and profile', async () => {
      const zone = bench.id('zone');
      const active = await rows().insert(lease({ zone, target_id: 'hub:two' }));
      const expired = await rows().insert(lease({ zone, deadline_at: NOW, subnet_id: 'subnet-2' }));
      const revoked = await rows().insert(lease({ zone, capability_profile: 'AuditRead' }));
      await rows().revoke(revoked.session_id, 'operator:ann', 'x');
      const ids = async (filter: object) =>
        (await rows().list({ zone, ...filter })).items.map((item) => item.session_id);
      expect(await ids({ status: 'active' })).toEqual([active.session_id]);
      expect(await ids({ status: 'expired' })).toEqual([expired.session_id]);
      expect(await ids({ status: 'revoked' })).toEqual([revoked.session_id]);
      expect(await ids({ target_id: 'hub:two' })).toEqual([active.session_id]);
      expect(await ids({ subnet_id: 'subnet-2' })).toEqual([expired.session_id]);
      expect(await ids({ capability_profile: 'AuditRead', target_id: 'hub:two' })).toEqual([]);
      expect(await ids({ active_only: true })).toEqual([active.session_id]);
      expect(await ids({ active_only: true, status: 'expired' })).toEqual([]);
      expect(await ids({ audience: 'other' })).toEqual([]);
      expect(await ids({ audience: 'adaos-root-mcp' })).toHaveLength(3);
      for (const cursor of [
        'x',
        Buffer.from('["2026","a"]').toString('base64url'),
        Buffer.from('[1]').toString('base64url'),
      ]) {
        await expect(rows().list({ cursor })).rejects.toMatchObject({
          code: 'invalid_argument',
          details: { field: 'cursor' },
        });
      }
    });
  });
}
