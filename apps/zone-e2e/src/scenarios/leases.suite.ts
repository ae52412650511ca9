import { describe, expect, test } from '@jest/globals';
import type { SessionLease } from '@adaos/contracts';
import { callTool, lease, rest } from '../api.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';

/** Issue, list, revoke: what an operator does with leases, and what a lease may not become. */
export const leases = (zone: () => ZoneUnderTest) =>
  describe('leases', () => {
    test('a lease is frozen at issue with profile, version, capabilities and tools', async () => {
      const { session, bearer } = await lease(zone(), 'LeaseAdmin', {
        ttl_seconds: 600,
        note: 'for a test',
        audience: 'codex',
      });
      expect(bearer).toMatch(/^mcp_[A-Za-z0-9_-]{43}$/);
      expect(session).toMatchObject({
        audience: 'codex',
        target_id: 'hub:demo',
        subnet_id: 'demo-subnet',
        zone: 'local',
        capability_profile: 'LeaseAdmin',
        profile_version: 2,
        ttl_seconds: 600,
        status: 'active',
        use_count: 0,
        note: 'for a test',
        issued_by: 'operator:bootstrap',
      });
      expect(session.allowed_tools).toEqual([
        'hub.get_status',
        'hub.issue_mcp_session',
        'hub.list_mcp_sessions',
        'hub.revoke_mcp_session',
        'hub.rotate_mcp_session',
        'hub.issue_access_token',
        'hub.list_access_tokens',
        'hub.revoke_access_token',
      ]);
      expect(Date.parse(session.deadline_at) - Date.parse(session.created_at)).toBe(600_000);
      expect(session.session_id).not.toContain(bearer.slice(4, 20));
    });

    test('a lease can be narrower than its profile, never wider', async () => {
      const narrow = await lease(zone(), 'InfraOpsRead', { capabilities: ['hub.get_status'] });
      expect(narrow.session.allowed_tools).toEqual(['hub.get_status']);
      const wide = await rest(zone())('POST', '/sessions', {
        target_id: 'hub:demo',
        capability_profile: 'InfraOpsRead',
        capabilities: ['hub.restart_service'],
      });
      expect([wide.status, wide.body.error]).toMatchObject([
        400,
        { code: 'invalid_argument', details: { not_in_profile: ['hub.restart_service'] } },
      ]);
    });

    test.each([
      [{ capability_profile: 'Everything' }, 'invalid_argument'],
      [{ capability_profile: 'InfraOpsRead', ttl_seconds: 59 }, 'invalid_argument'],
      [{ capability_profile: 'InfraOpsRead', ttl_seconds: 2_592_001 }, 'invalid_argument'],
      [{ capability_profile: 'InfraOpsRead', target_id: 'hub:no-such' }, 'target_not_found'],
    ])('is not issued with %j', async (more, code) => {
      const answer = await rest(zone())('POST', '/sessions', { target_id: 'hub:demo', ...more });
      expect(answer.body.error?.code).toBe(code);
    });

    test('a LeaseAdmin lease issues no more than it holds', async () => {
      const { bearer } = await lease(zone(), 'LeaseAdmin');
      const more = await callTool(zone(), bearer, 'hub.issue_mcp_session', {
        capability_profile: 'InfraOpsControl',
      });
      expect(more).toMatchObject({ ok: false, error: { code: 'forbidden' } });
      const same = await callTool(zone(), bearer, 'hub.issue_mcp_session', {
        capability_profile: 'LeaseAdmin',
        ttl_seconds: 2_592_000,
      });
      expect(same.ok).toBe(true);
      const { session } = same.result as { session: SessionLease };
      expect(Date.parse(session.deadline_at) - Date.now()).toBeLessThanOrEqual(4 * 3_600_000);
    });

    test('a revoked lease is refused at once and stays in the list as revoked', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsRead');
      expect((await callTool(zone(), bearer, 'hub.get_status')).ok).toBe(true);
      const revoke = await rest(zone())<{ session: SessionLease }>(
        'POST',
        `/sessions/${session.session_id}/revoke`,
        { reason: 'done' },
      );
      expect(revoke.body.session).toMatchObject({
        status: 'revoked',
        revoked_by: 'operator:bootstrap',
        revoke_reason: 'done',
      });
      // Every replica hears of it by event; none may serve it past the epoch's two seconds.
      await until(
        'the revocation',
        async () =>
          (await callTool(zone(), bearer, 'hub.get_status')).error?.code === 'lease_revoked'
            ? true
            : undefined,
        2_000,
      );
      const again = await rest(zone())<{ session: SessionLease }>(
        'POST',
        `/sessions/${session.session_id}/revoke`,
        { reason: 'twice' },
      );
      expect(again.body.session).toMatchObject({ status: 'revoked', revoke_reason: 'done' });
      const list = await rest(zone())<{ sessions: SessionLease[] }>(
        'GET',
        '/sessions?status=revoked&limit=200',
      );
      expect(list.body.sessions.map((s) => s.session_id)).toContain(session.session_id);
    });
  });
