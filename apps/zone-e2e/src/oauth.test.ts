import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, UnauthorizedError } from '@modelcontextprotocol/client';
import { ANSWERS, startIdentityZone, type IdentityZone } from './identity-zone.js';
import { desktop, METADATA, NOT_OURS, OF_THE_RESOURCE, signInAt } from './oauth-person.js';

const STATUS = ANSWERS['hub.get_status'];
const RESTARTED = ANSWERS['hub.restart_service'];

describe('OAuth mode', () => {
  let zone: IdentityZone;
  beforeAll(async () => {
    zone = await startIdentityZone();
  }, 60_000);
  afterAll(() => zone.stop());

  const token = (scope = 'profile:InfraOpsRead') => zone.idp.robotToken(scope, zone.mcp_url);
  const challenge = (more = '') =>
    `Bearer realm="root-mcp"${more}, resource_metadata="${zone.root_url}${METADATA}/v1/root/mcp", scope="profile:InfraOpsRead"`;

  test.each(OF_THE_RESOURCE)('RFC 9728 metadata at %s, for any page', async (path) => {
    const { status, headers, body } = await zone.rest('GET', path, {
      headers: { origin: 'https://inspector.example.org' },
    });
    expect([status, body]).toEqual([
      200,
      {
        resource: zone.mcp_url,
        authorization_servers: [zone.idp.issuer],
        scopes_supported: ['profile:InfraOpsRead'],
        bearer_methods_supported: ['header'],
        resource_name: 'AdaOS Root MCP',
      },
    ]);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect((await zone.rest('POST', path)).status).toBe(404);
    const preflight = await zone.rest('OPTIONS', path, {
      headers: { origin: 'https://inspector.example.org', 'access-control-request-method': 'GET' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://inspector.example.org',
    ]);
  });

  test('a page of another origin gets the metadata and nothing else', async () => {
    const headers = { origin: 'https://inspector.example.org' };
    expect((await zone.rest('GET', '/healthz', { headers })).status).toBe(403);
    expect((await zone.rest('GET', '/.well-known/openid-configuration', { headers })).status).toBe(403);
  });

  test.each(NOT_OURS)('%s is a JSON 404: the zone is no authorization server', async (path) => {
    const { status, headers, body } = await zone.rest('GET', path);
    expect([status, body.ok]).toEqual([404, false]);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('location')).toBeNull();
  });

  test('a client without a token is told where to get one', async () => {
    const got = await zone.mcp(undefined, 'tools/list');
    expect([got.status, got.headers.get('www-authenticate')]).toEqual([401, challenge()]);
    const rest = await zone.rest('GET', '/v1/root/mcp/foundation');
    expect([rest.status, rest.headers.get('www-authenticate')]).toEqual([401, challenge()]);
  });

  test('an access token lists and calls what its scope names, recorded as such', async () => {
    const bearer = await token();
    const { body } = await zone.mcp(bearer, 'tools/list');
    const names = body.result.tools.map((t: { name: string }) => t.name);
    expect(names).toContain('hub_get_status');
    expect(names).not.toContain('hub_restart_service');
    const called = await zone.mcp(bearer, 'tools/call', { name: 'hub_get_status' });
    expect(called.body.result.structuredContent).toEqual(STATUS);
    const event_id = called.body.result._meta['io.adaos/audit_event_id'];
    const actor = `oauth:${new URL(zone.idp.issuer).host}:robot`;
    expect((await zone.events(`&event_id=${event_id}`))[0]).toMatchObject({
      auth_method: 'oauth_access_token',
      actor,
      target_id: 'hub:demo',
    });
    const admitted = (await zone.events()).filter((e) => e.event_type === 'auth.admitted');
    expect(admitted[0]).toMatchObject({ actor, status: 'succeeded' });
  });

  test('the token goes nowhere: not to the hub, not into the record', async () => {
    const bearer = await token();
    await zone.mcp(bearer, 'tools/call', { name: 'hub_get_status' });
    const secret = bearer.split('.')[2]!;
    expect(JSON.stringify(zone.seen)).not.toContain(secret);
    const rows = await zone.store.sql`select r::text as text from event_records r`;
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(await zone.store.sql`select a::text as text from admissions a`)).not.toContain(
      secret,
    );
  });

  test('an opaque token is introspected and works the same', async () => {
    zone.idp.tokens.format = 'opaque';
    const bearer = await token();
    zone.idp.tokens.format = 'jwt';
    expect(
      (await zone.mcp(bearer, 'tools/call', { name: 'hub_get_status' })).body.result.isError,
    ).toBeUndefined();
  });

  test('a scope that lacks the tool: 403 with every scope the next token needs', async () => {
    const bearer = await token();
    const got = await zone.mcp(bearer, 'tools/call', {
      name: 'hub_restart_service',
      arguments: { service: 'web' },
    });
    const scope = 'profile:InfraOpsRead profile:InfraOpsControl';
    expect([got.status, got.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer realm="root-mcp", error="insufficient_scope", error_description="The credential lacks the scope this needs.", resource_metadata="${zone.root_url}${METADATA}/v1/root/mcp", scope="${scope}"`,
    ]);
    const rest = await zone.rest('POST', '/v1/root/mcp/call', {
      token: bearer,
      body: { tool_id: 'hub.restart_service', arguments: { service: 'web' } },
    });
    expect([rest.status, rest.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining(scope),
    ]);
    const wider = await token(scope);
    const done = await zone.mcp(wider, 'tools/call', {
      name: 'hub_restart_service',
      arguments: { service: 'web' },
    });
    expect(done.body.result.structuredContent).toEqual(RESTARTED);
  });

  test('what no scope would give, and what there is not, read the same', async () => {
    const bearer = await token('profile:InfraOpsControl');
    const answers = [];
    for (const name of ['operations_register_target', 'hub_issue_mcp_session', 'no_such_tool']) {
      const { status, body } = await zone.mcp(bearer, 'tools/call', { name, arguments: {} });
      answers.push([status, body.error.code, body.error.message]);
    }
    expect(new Set(answers.map((a) => JSON.stringify(a)))).toEqual(new Set(['[200,-32602,"Unknown tool"]']));
  });

  test('a lease stays a lease: no step-up, no pointer to the authorization server', async () => {
    const issued = await zone.operator('POST', '/sessions', {
      target_id: 'hub:demo',
      capability_profile: 'InfraOpsRead',
    });
    const { bearer, session } = issued.body;
    const call = await zone.mcp(bearer, 'tools/call', {
      name: 'hub_restart_service',
      arguments: { service: 'web' },
    });
    expect([call.status, call.body.error.message]).toEqual([200, 'Unknown tool']);
    await zone.operator('POST', `/sessions/${session.session_id}/revoke`, {});
    const dead = await zone.mcp(bearer, 'tools/list');
    expect([dead.status, dead.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="root-mcp", error="invalid_token", error_description="The lease was revoked; ask the operator for a new one."',
    ]);
  });

  test.each([
    ['an expired token', { exp: 1_000 }, 'The token has expired.'],
    [
      'a token of another resource',
      { aud: 'https://other.example.org/mcp' },
      'The token was issued for another audience.',
    ],
    ['a token without a profile', { scope: 'openid' }, 'The token names no capability profile of this zone.'],
  ])('%s: 401 that says so, recorded', async (_, claims, message) => {
    const now = Math.floor(Date.now() / 1000);
    const good = { iss: zone.idp.issuer, aud: zone.mcp_url, sub: 'x', scope: 'profile:InfraOpsRead' };
    const bad = await zone.idp.sign({ ...good, iat: now, exp: now + 60, ...claims });
    const got = await zone.mcp(bad, 'tools/list');
    expect([got.status, got.body]).toEqual([401, { error: 'invalid_token', error_description: message }]);
    expect(got.headers.get('www-authenticate')).toBe(
      challenge(`, error="invalid_token", error_description="${message}"`),
    );
    const [latest] = (await zone.events()).filter((e) => e.event_type === 'auth.denied');
    expect(latest!.error).toMatchObject({ code: 'unauthenticated', message });
  });

  test('the authorization server away: 503, and who is in stays in', async () => {
    const known = await token();
    expect((await zone.mcp(known, 'tools/list')).status).toBe(200);
    const later = await zone.idp.sign({ iss: zone.idp.issuer, aud: zone.mcp_url, sub: 'x' }, { kid: 'new' });
    zone.idp.away = true;
    const got = await zone.mcp(later, 'tools/list');
    expect([got.status, got.body.error.data.code, got.headers.get('retry-after')]).toEqual([
      503,
      'dependency_unavailable',
      '1',
    ]);
    expect((await zone.mcp(known, 'tools/list')).status).toBe(200);
    zone.idp.away = false;
  });

  test('an operator lists admissions and ends one; the token is out at once and stays out', async () => {
    const bearer = await token('profile:AuditRead');
    expect((await zone.mcp(bearer, 'tools/list')).status).toBe(200);
    const { body } = await zone.operator('GET', '/admissions?status=active');
    const mine = body.admissions.find((a: any) => a.capability_profile === 'AuditRead');
    expect(mine).toMatchObject({ auth_method: 'oauth_access_token', issuer: zone.idp.issuer });
    await zone.operator('POST', `/admissions/${mine.admission_id}/revoke`, { reason: 'test' });
    const got = await zone.mcp(bearer, 'tools/list');
    expect([got.status, got.body.error_description]).toEqual([401, expect.stringContaining('revoked')]);
    expect((await zone.rest('GET', '/v1/root/mcp/admissions', { token: await token() })).status).toBe(404);
  });

  test('the SDK’s client finds its way from a 401 to a result, and steps up', async () => {
    zone.idp.account = { sub: 'ann', claims: {} };
    const person = desktop(zone);
    const first = person.transport();
    const client = new Client({ name: 'desktop', version: '1' });
    await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    const [asked] = person.asked;
    expect(asked!.origin).toBe(zone.idp.issuer);
    expect(Object.fromEntries(asked!.searchParams)).toMatchObject({
      resource: zone.mcp_url,
      scope: 'profile:InfraOpsRead',
      code_challenge_method: 'S256',
    });
    await first.finishAuth((await signInAt(asked!)).searchParams);
    await client.connect(person.transport());
    const { tools } = await client.listTools();
    expect(tools.map((t) => t.name)).toContain('hub_get_status');
    const result = await client.callTool({ name: 'hub_get_status', arguments: {} });
    expect(result.structuredContent).toEqual(STATUS);
    const admitted = (await zone.events()).find((e) => e.event_type === 'auth.admitted');
    expect(admitted!.actor).toBe(`oauth:${new URL(zone.idp.issuer).host}:ann`);

    await expect(
      client.callTool({ name: 'hub_restart_service', arguments: { service: 'web' } }),
    ).rejects.toBeInstanceOf(UnauthorizedError);
    const again = person.asked.at(-1)!;
    expect(again.searchParams.get('scope')!.split(' ').sort()).toEqual([
      'profile:InfraOpsControl',
      'profile:InfraOpsRead',
    ]);
    const second = person.transport();
    await second.finishAuth((await signInAt(again)).searchParams);
    const wider = new Client({ name: 'desktop', version: '1' });
    await wider.connect(person.transport());
    const done = await wider.callTool({ name: 'hub_restart_service', arguments: { service: 'web' } });
    expect(done.structuredContent).toEqual(RESTARTED);
    await client.close();
    await wider.close();
  });
});
