import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROLES, toolsFor, type Grant } from '@adaos/contracts';
import { SignJWT, UnsecuredJWT } from 'jose';
import { RESOURCE, startAdmitting, type Admitting } from '../fixtures/admitting.js';

let zone: Admitting;
beforeAll(async () => {
  zone = await startAdmitting();
}, 60_000);
afterAll(() => zone.stop());

const HOUR_MS = 3_600_000;
const inSeconds = (seconds: number) => Math.floor(zone.clock.now() / 1000) + seconds;

describe('operators with a token of the identity provider', () => {
  test('comes in with the role of the map, and resolves like every other bearer', async () => {
    const token = await zone.idp.sign(zone.operatorClaims());
    expect(await zone.resolve(token)).toMatchObject({ code: 'unauthenticated' });
    const ends = new Date(inSeconds(600) * 1000).toISOString();
    expect(await zone.admit(token)).toEqual({ expires_at: ends });
    const host = new URL(zone.idp.issuer).host;
    expect(await zone.resolve(token)).toMatchObject({
      auth_method: 'oidc',
      actor: `oidc:${host}:ann`,
      role: 'admin',
      zone: 'local',
      target_id: null,
      subnet_id: null,
      capability_profile: 'role:admin',
      deadline_at: ends,
    });
    const { grant_id } = (await zone.resolve(token)) as Grant;
    expect(zone.records.at(-1)).toMatchObject({
      event_type: 'auth.admitted',
      actor: `oidc:${host}:ann`,
      lease_id: grant_id,
      result_summary: { issuer: zone.idp.issuer, admitted_by: 'token', capability_profile: 'role:admin' },
    });
  });

  test.each([
    ['the first entry of the map that matches', ['everyone', 'zone-admins'], 'admin'],
    ['one value instead of a list', 'everyone', 'viewer'],
    ['a value with commas and equal signs in it', ['cn=lab,dc=example'], 'operator'],
  ])('%s', async (_, roles, role) => {
    const token = await zone.idp.sign(zone.operatorClaims({ roles, sub: `s-${role}` }));
    await zone.admit(token);
    expect(await zone.resolve(token)).toMatchObject({ role });
    expect(ROLES).toContain(role);
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['no role', 'role', { roles: ['visitors'] }],
    ['no claim of roles', 'role', { roles: undefined }],
    ['roles that are no texts', 'role', { roles: [{ name: 'zone-admins' }] }],
    ['another audience', 'audience', { aud: 'another-client' }],
    ['several audiences and another authorized party', 'audience', { aud: ['zone', 'x'], azp: 'x' }],
    ['another issuer', 'issuer', { iss: 'https://login.example.org' }],
    ['no subject', 'claims', { sub: undefined }],
    ['no end', 'claims', { exp: undefined }],
    ['no beginning', 'claims', { iat: undefined }],
    ['a key it is bound to', 'bound', { cnf: { jkt: 'x' } }],
  ])('%s: refused as %s', async (_, reason, claims) => {
    expect(await zone.refusal(await zone.idp.sign(zone.operatorClaims(claims)))).toBe(reason);
  });

  test('times count within the skew of the clocks and not beyond', async () => {
    const at = (claims: Record<string, unknown>) =>
      zone.idp.sign(zone.operatorClaims({ sub: 'times', ...claims })).then((token) => zone.refusal(token));
    expect(await at({ exp: inSeconds(-31) })).toBe('expired');
    // Within the skew it is still no token of the future: there is no time left to let it in for.
    expect(await at({ exp: inSeconds(-29) })).toBe('expired');
    expect(await at({ nbf: inSeconds(60) })).toBe('not_yet_valid');
    expect(await at({ nbf: inSeconds(29) })).toBe('admitted');
    expect(await at({ iat: inSeconds(60) })).toBe('not_yet_valid');
    expect(await at({ iat: inSeconds(29), exp: inSeconds(601) })).toBe('admitted');
  });

  test('only signatures by a key of the issuer alone', async () => {
    const claims = zone.operatorClaims();
    expect(await zone.refusal(new UnsecuredJWT(claims).encode())).toBe('algorithm');
    // The public key as an HMAC secret, the classic confusion of algorithms.
    const jwks = await (await fetch(`${zone.idp.issuer}/jwks`)).json();
    const secret = new TextEncoder().encode(JSON.stringify((jwks as { keys: unknown[] }).keys[0]));
    const hmac = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'key-1' }).sign(secret);
    expect(await zone.refusal(hmac)).toBe('algorithm');
    expect(await zone.refusal(await zone.idp.sign(claims, { kid: 'nobodys' }))).toBe('signature');
    const [head, body, signature] = (await zone.idp.sign(claims)).split('.') as [string, string, string];
    const other = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url');
    expect(await zone.refusal([head, other, signature].join('.'))).toBe('signature');
    expect(await zone.refusal([head, body, ''].join('.'))).toBe('signature');
    expect(await zone.refusal(await zone.idp.sign(claims, { typ: 'logout+jwt' }))).toBe('malformed');
  });

  test('a new key of the issuer is found, a withdrawn one no longer counts', async () => {
    const before = await zone.idp.sign(zone.operatorClaims({ sub: 'before' }));
    await zone.idp.rotateKey();
    const after = await zone.idp.sign(zone.operatorClaims({ sub: 'after' }));
    expect(await zone.refusal(after)).toBe('admitted');
    expect(await zone.refusal(before)).toBe('signature');
  });

  test('long and odd subjects stay apart and within what a record holds', async () => {
    const actors = new Set<string>();
    for (const sub of ['x'.repeat(300), 'y'.repeat(300), 'a b', 'a\u00a0b', '#' + 'x'.repeat(32)]) {
      const token = await zone.idp.sign(zone.operatorClaims({ sub }));
      await zone.admit(token);
      const { actor } = (await zone.resolve(token)) as Grant;
      expect(actor).toMatch(/^oidc:[\x21-\x7e]{1,120}$/);
      actors.add(actor);
    }
    expect(actors.size).toBe(5);
  });
});

describe('clients with an access token', () => {
  test('a token of the server for this zone gets what its scopes name, on one target', async () => {
    const token = await zone.idp.robotToken('profile:InfraOpsRead', RESOURCE);
    expect(token.split('.')).toHaveLength(3);
    expect(await zone.refusal(token)).toBe('admitted');
    const grant = (await zone.resolve(token)) as Grant;
    expect(grant).toMatchObject({
      auth_method: 'oauth_access_token',
      actor: `oauth:${new URL(zone.idp.issuer).host}:robot`,
      role: null,
      target_id: 'hub:demo',
      subnet_id: 'subnet-a',
      audience: RESOURCE,
      capability_profile: 'InfraOpsRead',
    });
    expect(grant.allowed_tools).toEqual(toolsFor(grant.capabilities));
    expect(grant.allowed_tools).not.toContain('hub.restart_service');
    expect(Date.parse(grant.deadline_at) - zone.clock.now()).toBeLessThanOrEqual(630_000);
  });

  test('several profiles add up', async () => {
    const token = await zone.idp.robotToken('profile:InfraOpsRead profile:InfraOpsControl', RESOURCE);
    await zone.admit(token);
    expect(await zone.resolve(token)).toMatchObject({
      capability_profile: 'InfraOpsControl+InfraOpsRead',
      allowed_tools: expect.arrayContaining(['hub.restart_service', 'hub.get_status']),
    });
  });

  test('a claim names the target', async () => {
    zone.idp.tokens.claims = { adaos: { target: 'demo' } };
    const token = await zone.idp.robotToken('profile:AuditRead', RESOURCE);
    zone.idp.tokens.claims = {};
    await zone.admit(token);
    expect(await zone.resolve(token)).toMatchObject({ target_id: 'hub:demo' });
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['no scope of ours', 'scope', { scope: 'openid mail' }],
    ['no scope at all', 'scope', { scope: undefined }],
    ['a profile that hands out credentials', 'scope', { scope: 'profile:LeaseAdmin' }],
    ['an unknown profile', 'scope', { scope: 'profile:Root' }],
    ['an unknown target', 'target', { adaos: { target: 'hub:nowhere' } }],
    ['a target of another zone', 'target', { adaos: { target: 'hub:foreign' } }],
    ['several targets', 'target', { adaos: { target: ['hub:demo', 'hub:foreign'] } }],
    ['a target that is no id', 'target', { adaos: { target: 'hub:*' } }],
    ['another resource', 'audience', { aud: 'https://other.example.org/mcp' }],
    ['the resource without its path', 'audience', { aud: 'http://127.0.0.1:7717' }],
    ['no audience', 'audience', { aud: undefined }],
  ])('%s: refused as %s', async (_, reason, claims) => {
    const { iss, ...rest } = zone.clientClaims(claims);
    expect(await zone.refusal(await zone.idp.sign({ iss, ...rest }, { typ: 'at+jwt' }))).toBe(reason);
  });

  test('a token for no resource in particular is not for this zone', async () => {
    zone.idp.tokens.format = 'jwt';
    expect(await zone.refusal(await zone.idp.robotToken('profile:InfraOpsRead', 'urn:other'))).toBe(
      'audience',
    );
  });

  test('what has the head of a JWT and no more is malformed, and nobody is asked about it', async () => {
    const before = JSON.stringify([...zone.idp.hits]);
    for (const junk of ['eyJhbGciOiJSUzI1NiJ9.bm9wZQ.x', 'eyJhbGciOiJub25lIn0.W10.'])
      expect(await zone.refusal(junk)).toBe('malformed');
    expect(JSON.stringify([...zone.idp.hits])).toBe(before);
  });
});

describe('what is kept', () => {
  test('a token is checked once; when its time is up it is checked again', async () => {
    const token = await zone.idp.sign(zone.operatorClaims({ sub: 'long', exp: inSeconds(86_400) }));
    const first = (await zone.admit(token)) as { expires_at: string };
    expect(Date.parse(first.expires_at)).toBe(zone.clock.now() + HOUR_MS);
    const { grant_id } = (await zone.resolve(token)) as Grant;
    const records = zone.records.length;
    zone.clock.advance(HOUR_MS - 1_000);
    expect(await zone.admit(token)).toEqual(first);
    zone.clock.advance(1_000);
    expect(await zone.resolve(token)).toMatchObject({ code: 'unauthenticated' });
    const second = (await zone.admit(token)) as { expires_at: string };
    expect(Date.parse(second.expires_at)).toBe(zone.clock.now() + HOUR_MS);
    expect(await zone.resolve(token)).toMatchObject({ grant_id });
    expect(zone.records).toHaveLength(records);
  });

  test('a revoked token does not come in again, however often it is shown', async () => {
    const token = await zone.idp.sign(zone.operatorClaims({ sub: 'fired' }));
    await zone.admit(token);
    const { grant_id } = (await zone.resolve(token)) as Grant;
    const { result } = await zone.exec('operations.revoke_admission', {
      admission_id: grant_id,
      reason: 'left',
    });
    expect(result.admission).toMatchObject({
      status: 'revoked',
      revoked_by: 'operator:bootstrap',
      revoke_reason: 'left',
    });
    const { epoch } = zone.told.at(-1) as { epoch: number };
    expect(zone.told.at(-1)).toEqual({ lease_id: grant_id, target_id: null, epoch, final: true });
    expect(epoch).toBeGreaterThan(0);
    expect(await zone.resolve(token)).toMatchObject({ code: 'lease_revoked' });
    expect(await zone.admit(token)).toMatchObject({ code: 'lease_revoked' });
    const again = await zone.exec('operations.revoke_admission', { admission_id: grant_id });
    expect(again.result.admission.revoke_reason).toBe('left');
    expect((zone.told.at(-1) as { epoch: number }).epoch).toBe(epoch);
    expect((await zone.exec('operations.revoke_admission', { admission_id: 'adn_no' })).error).toMatchObject({
      code: 'invalid_argument',
    });
  });

  test('an operator ends clients, an admin operators too', async () => {
    const [person, robot] = [
      await zone.idp.sign(zone.operatorClaims({ sub: 'colleague' })),
      await zone.idp.sign(zone.clientClaims({ sub: 'robot-2' })),
    ];
    for (const token of [person, robot]) await zone.admit(token);
    const end = async (token: string) => {
      const { grant_id } = (await zone.resolve(token)) as Grant;
      return zone.exec('operations.revoke_admission', { admission_id: grant_id }, 'operator');
    };
    expect((await end(person)).error).toMatchObject({ code: 'forbidden' });
    expect(await zone.resolve(person)).toMatchObject({ role: 'admin' });
    expect((await end(robot)).result.admission).toMatchObject({ status: 'revoked' });
  });

  test('operators see who came in, and no token is in it', async () => {
    for (const sub of ['one', 'two', 'three'])
      await zone.admit(await zone.idp.sign(zone.operatorClaims({ sub })));
    const { result } = await zone.exec('operations.list_admissions', { status: 'active', limit: 2 });
    expect(result.admissions).toHaveLength(2);
    expect(result.admissions[0]).toMatchObject({ status: 'active', admitted_by: 'token' });
    const next = await zone.exec('operations.list_admissions', {
      cursor: result.next_cursor,
      status: 'active',
    });
    const ids = [...result.admissions, ...next.result.admissions].map((a: any) => a.admission_id);
    expect(new Set(ids).size).toBe(ids.length);
    const rows = JSON.stringify(await zone.store.sql`select a::text from admissions a`);
    expect(rows).not.toContain('eyJ');
    expect(JSON.stringify(zone.records)).not.toContain('eyJ');
    expect(zone.lines.join()).not.toContain('eyJ');
  });

  test('rows go once their token has ended', async () => {
    const count = async () =>
      (await zone.store.sql`select count(*)::int as n from admissions`)[0]!['n'] as number;
    expect(await count()).toBeGreaterThan(2);
    zone.clock.advance(48 * HOUR_MS);
    for (let n = 0; n < 100 && (await count()) > 0; n++) await new Promise((done) => setImmediate(done));
    expect(await count()).toBe(0);
  });
});
