import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Grant } from '@adaos/contracts';
import { RESOURCE, startAdmitting, type Admitting } from '../fixtures/admitting.js';

const INTROSPECTION = '/token/introspection';

let zone: Admitting;
beforeAll(async () => {
  zone = await startAdmitting();
  zone.idp.tokens.format = 'opaque';
}, 60_000);
afterAll(() => zone.stop());

const introspections = () => zone.idp.hits.get(INTROSPECTION) ?? 0;

describe('opaque access tokens', () => {
  test('the server is asked, and asked again when the answer is old', async () => {
    const token = await zone.idp.robotToken('profile:InfraOpsRead', RESOURCE);
    expect(token).not.toContain('.');
    const before = introspections();
    expect(await zone.admit(token)).toEqual({
      expires_at: new Date(zone.clock.now() + 30_000).toISOString(),
    });
    const grant = (await zone.resolve(token)) as Grant;
    expect(grant).toMatchObject({
      auth_method: 'oauth_access_token',
      capability_profile: 'InfraOpsRead',
      target_id: 'hub:demo',
    });
    zone.clock.advance(29_999);
    expect(await zone.refusal(token)).toBe('admitted');
    expect(introspections()).toBe(before + 1);
    zone.clock.advance(1);
    expect(await zone.resolve(token)).toMatchObject({ code: 'unauthenticated' });
    expect(await zone.refusal(token)).toBe('admitted');
    expect(introspections()).toBe(before + 2);
    expect(await zone.resolve(token)).toMatchObject({ grant_id: grant.grant_id });
  });

  test('one that the server took back is out at the next question', async () => {
    const token = await zone.idp.robotToken('profile:InfraOpsRead', RESOURCE);
    expect(await zone.refusal(token)).toBe('admitted');
    await zone.idp.revoke(token);
    zone.clock.advance(30_000);
    expect(await zone.refusal(token)).toBe('inactive');
    expect(await zone.resolve(token)).toMatchObject({ code: 'unauthenticated' });
  });

  test('an active token for another resource is not for this zone', async () => {
    expect(await zone.refusal(await zone.idp.robotToken('profile:InfraOpsRead', 'urn:other'))).toBe(
      'audience',
    );
  });

  test('an active token without a scope of ours gets nothing', async () => {
    zone.idp.tokens.claims = {};
    const token = await zone.idp.robotToken('profile:LeaseAdmin', RESOURCE);
    expect(await zone.refusal(token)).toBe('scope');
  });
});

describe('an issuer that is away', () => {
  test('lets nobody in and keeps nobody waiting; what was admitted goes on', async () => {
    zone.idp.tokens.format = 'jwt';
    const known = await zone.idp.sign(zone.operatorClaims({ sub: 'known' }));
    expect(await zone.refusal(known)).toBe('admitted');
    const opaque = 'an-opaque-token-nobody-has-seen';
    const stranger = await zone.idp.sign(zone.operatorClaims({ sub: 'stranger' }), { kid: 'new-key' });
    zone.clock.advance(60_000);
    zone.idp.away = true;
    expect(await zone.admit(opaque)).toMatchObject({ code: 'dependency_unavailable' });
    expect(await zone.admit(stranger)).toMatchObject({ code: 'dependency_unavailable' });
    const asked = zone.idp.hits.get('/jwks');
    await Promise.all(Array.from({ length: 50 }, () => zone.admit(stranger)));
    expect(zone.idp.hits.get('/jwks')).toBe(asked);
    expect(await zone.resolve(known)).toMatchObject({ auth_method: 'oidc' });
    zone.idp.away = false;
    zone.clock.advance(2_000);
    expect(await zone.refusal(stranger)).toBe('signature');
  });
});

describe('load', () => {
  test('a flood of garbage does not become one at the server', async () => {
    const before = introspections();
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => zone.refusal(`garbage-${n}`)));
    expect(new Set(answers)).toEqual(new Set(['inactive', 'rate_limited']));
    expect(introspections() - before).toBeLessThanOrEqual(20);
    expect(zone.lines.join()).not.toContain('garbage-');
  });
});

test('a zone starts without its issuer and finds it later', async () => {
  const late = await startAdmitting((idp) => {
    idp.away = true;
    return {};
  });
  try {
    const token = await late.idp.sign(late.operatorClaims());
    expect(await late.admit(token)).toMatchObject({ code: 'dependency_unavailable' });
    late.idp.away = false;
    expect(await late.admit(token)).toMatchObject({ code: 'dependency_unavailable' });
    late.clock.advance(2_000);
    expect(await late.refusal(token)).toBe('admitted');
  } finally {
    await late.stop();
  }
});

test('a zone that trusts nobody asks nobody', async () => {
  const closed = await startAdmitting(() => ({ oidc: null, oauth: null }));
  try {
    const token = await closed.idp.sign(closed.operatorClaims());
    expect(await closed.refusal(token)).toBe('issuer');
    expect(await closed.refusal('opaque')).toBe('malformed');
    expect(await closed.ask('session_trust', {})).toEqual({ oauth: null, oidc: null });
    expect(closed.idp.hits.size).toBe(0);
  } finally {
    await closed.stop();
  }
});
