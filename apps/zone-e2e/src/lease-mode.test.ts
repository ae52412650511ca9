import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATOR, startIdentityZone, type IdentityZone } from './identity-zone.js';
import { NOT_OURS, OF_THE_RESOURCE } from './oauth-person.js';

describe('lease mode', () => {
  let zone: IdentityZone;
  beforeAll(async () => {
    zone = await startIdentityZone({ trust: 'nobody' });
  }, 60_000);
  afterAll(() => zone.stop());

  test.each([...OF_THE_RESOURCE, ...NOT_OURS])('%s is a JSON 404', async (path) => {
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const { status, headers, body } = await zone.rest(method, path);
      expect([path, status, body.ok]).toEqual([path, 404, false]);
      expect(headers.get('content-type')).toBe('application/json');
    }
  });

  test('challenges name no metadata', async () => {
    const none = await zone.mcp(undefined, 'tools/list');
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="root-mcp"']);
    const wrong = await zone.mcp('nobody', 'tools/list');
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="root-mcp", error="invalid_token", error_description="A valid bearer is required."',
    ]);
  });

  test('a token of somebody else’s is like any wrong bearer, and shown to nobody', async () => {
    const token = await zone.idp.sign({ iss: zone.idp.issuer, aud: zone.mcp_url });
    expect((await zone.mcp(token, 'tools/list')).body.error_description).toBe('A valid bearer is required.');
    expect(zone.idp.hits.size).toBe(0);
    expect((await zone.rest('GET', '/v1/root/mcp/admissions', { token: OPERATOR })).body.admissions).toEqual(
      [],
    );
  });
});
