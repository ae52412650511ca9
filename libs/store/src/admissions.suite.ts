import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { admissionRows, type NewAdmission } from './admissions.js';
import { leaseRows } from './leases.js';
import type { StoreBench } from './store.suite.js';

const NOW = '2026-05-01T12:00:00.000Z';

/** Admissions of tokens that somebody else made. */
export function admissionCases(bench: StoreBench): void {
  describe('admissions', () => {
    const rows = (now = NOW) => admissionRows(bench.store.sql, { now: () => new Date(now) });
    const admission = (over: Partial<NewAdmission> = {}): NewAdmission => ({
      admission_id: bench.id('adn'),
      token_hmac: randomBytes(32),
      zone: 'zone-a',
      auth_method: 'oauth_access_token',
      admitted_by: 'token',
      issuer: 'https://login.example.org',
      actor: 'oauth:login.example.org:ann',
      role: null,
      subnet_id: 'subnet-1',
      target_id: 'hub:one',
      audience: 'https://zone.example.org/v1/root/mcp',
      capability_profile: 'InfraOpsRead',
      profile_version: 1,
      capabilities: ['hub.get_status'],
      allowed_tools: ['hub.get_status'],
      admitted_at: NOW,
      expires_at: '2026-05-01T13:00:00.000Z',
      token_expires_at: '2026-05-02T12:00:00.000Z',
      ...over,
    });

    test('a token shown again renews its admission, which keeps its id', async () => {
      const first = admission();
      expect(await rows().admit(first)).toMatchObject({ admission_id: first.admission_id, status: 'active' });
      const later = {
        ...first,
        admission_id: bench.id('adn'),
        capabilities: [],
        expires_at: '2026-05-01T14:00:00.000Z',
      };
      expect(await rows().admit(later)).toMatchObject({
        admission_id: first.admission_id,
        admitted_at: NOW,
        capabilities: [],
        expires_at: '2026-05-01T14:00:00.000Z',
      });
      expect(
        await rows('2026-05-01T14:00:00.000Z').findByTokenHmac('zone-a', [first.token_hmac]),
      ).toMatchObject({
        status: 'expired',
      });
    });

    test('one found under an older key moves to the newest, and stays one', async () => {
      const [older, newest] = [randomBytes(32), randomBytes(32)];
      const one = admission({ token_hmac: older });
      await rows().admit(one);
      expect(await rows().findByTokenHmac('zone-a', [newest, older])).toMatchObject({ status: 'active' });
      await rows().rehash(one.admission_id, newest);
      expect(await rows().findByTokenHmac('zone-a', [older])).toBeNull();
      expect(await rows().admit({ ...one, token_hmac: newest, admission_id: bench.id('adn') })).toMatchObject(
        {
          admission_id: one.admission_id,
        },
      );
    });

    test('zones that share a database know nothing of each other’s', async () => {
      const token_hmac = randomBytes(32);
      const here = admission({ token_hmac, zone: bench.id('zone') });
      const there = admission({ token_hmac, zone: bench.id('zone') });
      await rows().admit(here);
      expect(await rows().findByTokenHmac(there.zone, [token_hmac])).toBeNull();
      await rows().admit(there);
      expect(await rows().revoke(there.zone, here.admission_id, 'eve', '')).toBeNull();
      expect((await rows().list({ zone: here.zone })).items).toHaveLength(1);
    });

    test('revoked is for good, told once and counted once; a renewal that races it does not undo it', async () => {
      const zone = bench.id('zone');
      const one = admission({ zone });
      await rows().admit(one);
      const many = await Promise.all([
        ...[1, 2, 3, 4].map((n) => rows().revoke(zone, one.admission_id, `op-${n}`, 'why')),
        ...[1, 2, 3, 4].map(() => rows().admit({ ...one, admission_id: bench.id('adn') })),
      ]);
      expect(many.slice(0, 4).every((r) => r !== null)).toBe(true);
      expect(await rows().admit(one)).toBeNull();
      const end = await rows().findByTokenHmac(zone, [one.token_hmac]);
      expect(end).toMatchObject({ status: 'revoked', revoke_reason: 'why' });
      expect(await leaseRows(bench.store.sql).epoch(zone)).toBe(1);
      expect(await rows().revoke(zone, one.admission_id, 'late', 'other')).toMatchObject({
        epoch: 1,
        admission: { revoked_by: end!.revoked_by },
      });
    });

    test('pages by status, newest first', async () => {
      const zone = bench.id('zone');
      const made = Array.from({ length: 5 }, (_, n) =>
        admission({ zone, admitted_at: `2026-05-01T1${n}:00:00.000Z` }),
      );
      for (const one of made) await rows().admit(one);
      await rows().revoke(zone, made[0]!.admission_id, 'op', '');
      const first = await rows().list({ zone, status: 'active', limit: 3 });
      const second = await rows().list({ zone, status: 'active', limit: 3, cursor: first.next_cursor! });
      expect([...first.items, ...second.items].map((a) => a.admission_id)).toEqual(
        made
          .slice(1)
          .reverse()
          .map((a) => a.admission_id),
      );
      expect(second.next_cursor).toBeNull();
      await expect(rows().list({ zone, cursor: 'odd' })).rejects.toMatchObject({ code: 'invalid_argument' });
    });

    test('an operator has a role and no target, a client a target and no role', async () => {
      await expect(rows().admit(admission({ role: 'admin' }))).rejects.toThrow();
      await expect(rows().admit(admission({ target_id: null }))).rejects.toThrow();
      const operator = { auth_method: 'oidc', role: 'viewer', target_id: null, subnet_id: null } as const;
      expect(await rows().admit(admission(operator))).toMatchObject(operator);
    });

    test('a row stays until its token ends, revoked or not', async () => {
      const zone = bench.id('zone');
      const one = admission({ zone });
      await rows().admit(one);
      await rows().revoke(zone, one.admission_id, 'op', '');
      await rows('2026-05-02T11:59:59.999Z').sweep();
      expect((await rows().list({ zone })).items).toHaveLength(1);
      expect(await rows('2026-05-02T12:00:00.001Z').sweep()).toBeGreaterThan(0);
      expect((await rows().list({ zone })).items).toHaveLength(0);
    });
  });
}
