import { describe, expect, test } from '@jest/globals';
import type { AccessToken, ApiKey, Operator, SessionLease } from '@adaos/contracts';
import { callTool, lease, rest } from '../api.js';
import { until, type ZoneUnderTest } from '../zone-under-test.js';

/** Bearers of every kind over REST: how they come, what they open, and that their end reaches every replica. */
export const access = (zone: () => ZoneUnderTest) =>
  describe('access', () => {
    const codeOf = async (bearer: string, tool_id = 'operations.list_managed_targets') =>
      (await callTool(zone(), bearer, tool_id)).error?.code ?? 'ok';
    /** Replicas hear by event; none may be late by more than the epoch's two seconds. */
    const becomes = (bearer: string, code: string) =>
      until(`${code}`, async () => ((await codeOf(bearer)) === code ? true : undefined), 2_000);

    test('a rotated lease has a new bearer at once, and an old one for its overlap', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsRead');
      const rotated = await rest(zone())<{ bearer: string; session: SessionLease; previous: SessionLease }>(
        'POST',
        `/sessions/${session.session_id}/rotate`,
        { overlap_seconds: 60 },
      );
      expect(rotated.body).toMatchObject({
        session: { rotated_from: session.session_id, deadline_at: session.deadline_at },
        previous: { status: 'active' },
      });
      expect([await codeOf(bearer), await codeOf(rotated.body.bearer)]).toEqual(['ok', 'ok']);
      await rest(zone())('POST', `/sessions/${session.session_id}/revoke`, {});
      await becomes(bearer, 'lease_revoked');
      await becomes(rotated.body.bearer, 'lease_revoked');
    });

    test('a native client gets URL, zone, subnet and token, and its headers only narrow', async () => {
      const { target_id, subnet_id, zone: name, root_url, root_urls = [root_url] } = zone().connection();
      const issued = await rest(zone())<{ access_token: string; token: AccessToken; root_url: string }>(
        'POST',
        '/access-tokens',
        { target_id, audience: 'desktop', capability_profile: 'InfraOpsRead' },
      );
      expect(issued.body).toMatchObject({ subnet_id, zone: name, token: { ttl_seconds: 3_600 } });
      // The facade that answered, by the name it listens on.
      const ports = root_urls.map((url) => new URL(url).port);
      expect(ports).toContain(new URL(issued.body.root_url).port);
      const ask = rest(zone(), issued.body.access_token);
      const headers = { 'x-adaos-zone': name, 'x-adaos-subnet-id': subnet_id };
      expect((await ask('GET', '/targets', undefined, headers)).status).toBe(200);
      for (const [header, code] of [
        ['x-adaos-zone', 'zone_mismatch'],
        ['x-adaos-subnet-id', 'scope_mismatch'],
      ] as const) {
        const wider = await ask('GET', '/targets', undefined, { ...headers, [header]: 'other' });
        expect(wider.body.error?.code).toBe(code);
      }
      const list = await rest(zone())<{ tokens: AccessToken[] }>(
        'GET',
        '/access-tokens?active_only=true&audience=desktop',
      );
      expect(list.body.tokens.map((token) => token.token_id)).toContain(issued.body.token.token_id);
      await rest(zone())('POST', `/access-tokens/${issued.body.token.token_id}/revoke`, {});
      await becomes(issued.body.access_token, 'lease_revoked');
    });

    test('an operator comes, makes what it may, goes, and takes it along', async () => {
      const made = await rest(zone())<{ operator: Operator; token: string }>('POST', '/operators', {
        name: `ann-${Date.now()}`,
        role: 'admin',
      });
      const { operator, token } = made.body;
      const key = await rest(zone(), token)<{ key: ApiKey; api_key: string }>('POST', '/api-keys', {
        name: 'ci',
        role: 'operator',
      });
      expect(await codeOf(key.body.api_key)).toBe('ok');
      const more = await rest(zone(), key.body.api_key)('POST', '/operators', { name: 'eve', role: 'admin' });
      expect(more.body.error?.code).toBe('tool_not_found');
      const gone = await rest(zone())<{ ended_count: number }>('POST', `/operators/${operator.operator_id}`, {
        disabled: true,
      });
      expect(gone.body.ended_count).toBe(1);
      await becomes(token, 'unauthenticated');
      await becomes(key.body.api_key, 'lease_revoked');
    });
  });
