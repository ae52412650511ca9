import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { browserLike } from './browser-like.js';
import { sendAs } from './send-as.js';
import { OPERATOR, startIdentityZone, type IdentityZone } from './identity-zone.js';

const CONSOLE = { 'x-adaos-console': '1' };
const SESSION = 'adaos_console';
const SIGN_IN = 'adaos_sign_in';

const dir = mkdtempSync(join(tmpdir(), 'console-'));
let zone: IdentityZone;
beforeAll(async () => {
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>console</title>');
  zone = await startIdentityZone({ facade: { CONSOLE_DIR: dir } });
  zone.idp.account = { sub: 'ann', claims: { roles: ['zone-admins'] } };
}, 60_000);
afterAll(async () => {
  await zone.stop();
  rmSync(dir, { recursive: true, force: true });
});

const at = (path: string) => new URL(path, zone.root_url);
const isBack = (url: URL) => url.host === at('/').host && url.pathname !== '/console/callback';

/** Signs in from the first click to the console's page. */
async function signedIn(return_to = '/console/events') {
  const browser = browserLike();
  const { url } = await browser.follow(
    at(`/console/login?return_to=${encodeURIComponent(return_to)}`),
    isBack,
  );
  return { browser, url, cookie: browser.cookie(url, SESSION) };
}
const foundation = (
  browser: ReturnType<typeof browserLike>,
  headers: Record<string, string>,
  method = 'GET',
) => browser.get(at('/v1/root/mcp/foundation'), { method, headers });

describe('signing in to the console', () => {
  test('code flow with PKCE, state and nonce; a session in a cookie no script reads', async () => {
    const browser = browserLike();
    const begun = await browser.get(at('/console/login?return_to=/console/events?status=denied'));
    const to = new URL(begun.headers.get('location')!);
    expect([begun.status, to.origin, Object.fromEntries(to.searchParams)]).toEqual([
      302,
      zone.idp.issuer,
      {
        client_id: 'zone',
        response_type: 'code',
        redirect_uri: `${zone.root_url}/console/callback`,
        scope: 'openid',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
        state: expect.stringMatching(/^[\w-]{40,}$/),
        nonce: expect.stringMatching(/^[\w-]{40,}$/),
      },
    ]);
    expect(browser.set[0]).toMatch(
      /^adaos_sign_in=[\w.-]+; Path=\/console\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    for (const held of ['state', 'nonce', 'code_challenge'])
      expect(browser.set[0]).not.toContain(to.searchParams.get(held)!);
    const { url, response } = await browser.follow(to, isBack);
    expect([response.status, url.href]).toEqual([303, `${zone.root_url}/console/events?status=denied`]);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(browser.set.at(-1)).toMatch(
      /^adaos_console=con_[\w-]{43}; Path=\/; Max-Age=3\d{3}; HttpOnly; SameSite=Strict$/,
    );
    expect(browser.cookie(url, SIGN_IN)).toBeUndefined();
  });

  test('the cookie acts with the role of its operator, on record under their name', async () => {
    const { browser } = await signedIn();
    const auth = await browser.get(at('/console/auth.json'));
    expect(await auth.json()).toEqual({ sign_in: { name: 'Test login' }, signed_in: true });
    const read = await foundation(browser, CONSOLE);
    expect(read.status).toBe(200);
    const { audit_event_id } = (await read.json()) as { audit_event_id: string };
    const actor = `oidc:${new URL(zone.idp.issuer).host}:ann`;
    expect((await zone.events(`&event_id=${audit_event_id}`))[0]).toMatchObject({
      actor,
      auth_method: 'oidc',
    });
    const admitted = (await zone.events()).find((e) => e.event_type === 'auth.admitted');
    expect(admitted).toMatchObject({ actor, result_summary: { admitted_by: 'sign_in' } });
  });

  test.each<[string, Record<string, string>]>([
    ['a page of another site', { ...CONSOLE, 'sec-fetch-site': 'cross-site' }],
    ['a page of another host of the domain', { ...CONSOLE, 'sec-fetch-site': 'same-site' }],
    ['a link or a form', { 'sec-fetch-site': 'same-origin' }],
    ['a request that proves nothing', {}],
    ['the address bar', { ...CONSOLE, 'sec-fetch-site': 'none' }],
  ])('%s can not use it', async (_, headers) => {
    const { browser } = await signedIn();
    expect((await foundation(browser, headers)).status).toBe(401);
    const write = await browser.get(at('/v1/root/mcp/sessions'), { method: 'POST', headers });
    expect(write.status).toBe(401);
  });

  test('an origin that may call with a bearer may not with the cookie', async () => {
    const open = await startIdentityZone({
      facade: { CONSOLE_DIR: dir, ALLOWED_ORIGINS: 'https://other.example.org' },
    });
    try {
      open.idp.account = { sub: 'ann', claims: { roles: ['zone-admins'] } };
      const browser = browserLike();
      const home = new URL(open.root_url);
      await browser.follow(
        new URL('/console/login', home),
        (url) => url.host === home.host && url.pathname !== '/console/callback',
      );
      const ask = (origin: string) =>
        browser.get(new URL('/v1/root/mcp/foundation', home), { headers: { ...CONSOLE, origin } });
      expect((await ask(open.root_url)).status).toBe(200);
      expect((await ask('https://other.example.org')).status).toBe(401);
    } finally {
      await open.stop();
    }
  });

  test('MCP does not know the cookie, and a bearer beside it is what counts', async () => {
    const { browser, cookie } = await signedIn();
    const mcp = await zone.rest('POST', '/v1/root/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers: { ...CONSOLE, cookie: `${SESSION}=${cookie}`, accept: 'application/json, text/event-stream' },
    });
    expect(mcp.status).toBe(401);
    expect((await foundation(browser, { ...CONSOLE, authorization: 'Bearer nobody' })).status).toBe(401);
    const twice = await zone.rest('GET', '/v1/root/mcp/foundation', {
      headers: { ...CONSOLE, cookie: `${SESSION}=${cookie}; ${SESSION}=${cookie}` },
    });
    expect(twice.status).toBe(401);
  });

  test('signing out ends the session everywhere, and takes the console itself to ask', async () => {
    const { browser, cookie } = await signedIn();
    const logout = (headers: Record<string, string>) =>
      browser.get(at('/console/logout'), { method: 'POST', headers });
    expect((await logout({})).status).toBe(403);
    expect((await logout({ ...CONSOLE, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await browser.get(at('/console/logout'))).status).toBe(200);
    expect((await foundation(browser, CONSOLE)).status).toBe(200);
    expect((await logout(CONSOLE)).status).toBe(200);
    expect(browser.cookie(at('/'), SESSION)).toBeUndefined();
    const stolen = await zone.rest('GET', '/v1/root/mcp/foundation', {
      headers: { ...CONSOLE, cookie: `${SESSION}=${cookie}` },
    });
    expect(stolen.status).toBe(401);
  });

  test('an operator ends the session of another', async () => {
    const { browser } = await signedIn();
    const { body } = await zone.operator('GET', '/admissions?status=active&limit=1');
    expect(body.admissions[0].admitted_by).toBe('sign_in');
    await zone.operator('POST', `/admissions/${body.admissions[0].admission_id}/revoke`, {});
    expect((await foundation(browser, CONSOLE)).status).toBe(401);
  });

  test('no role, no session; why is told and recorded', async () => {
    zone.idp.account = { sub: 'bob', claims: { roles: ['visitors'] } };
    const { url, cookie } = await signedIn();
    zone.idp.account = { sub: 'ann', claims: { roles: ['zone-admins'] } };
    expect([url.pathname + url.search, cookie]).toEqual(['/console/?sign_in=role', undefined]);
    const [latest] = (await zone.events()).filter((e) => e.event_type === 'auth.denied');
    expect(latest!.error).toMatchObject({ message: 'This account has no role in this zone.' });
  });

  test('what comes back without having left, or twice, or changed, is no sign-in', async () => {
    const browser = browserLike();
    const retry = '/console/?sign_in=retry';
    const stray = await browser.get(at('/console/callback?code=x&state=y'));
    expect(stray.headers.get('location')).toBe(retry);
    const { url } = await browser.follow(at('/console/login'), (to) => to.pathname === '/console/callback');
    const sealed = browser.cookie(url, SIGN_IN)!;
    const back = (href: string, cookie: string) =>
      fetch(at(href), { redirect: 'manual', headers: { cookie: `${SIGN_IN}=${cookie}` } });
    const other = new URL(url);
    other.searchParams.set('state', 'another');
    expect((await back(other.pathname + other.search, sealed)).headers.get('location')).toBe(retry);
    const foreign = new URL(url);
    foreign.searchParams.set('iss', 'https://evil.example.org');
    expect((await back(foreign.pathname + foreign.search, sealed)).headers.get('location')).toBe(retry);
    const tampered = `${sealed.slice(0, -4)}AAAA`;
    expect((await back(url.pathname + url.search, tampered)).headers.get('location')).toBe(retry);
    // Somebody else's browser: the state is theirs, the code is not.
    const victim = browserLike();
    await victim.get(at('/console/login'));
    expect(
      (await back(url.pathname + url.search, victim.cookie(url, SIGN_IN)!)).headers.get('location'),
    ).toBe(retry);
    expect((await back(url.pathname + url.search, sealed)).headers.get('location')).toBe('/console/');
    expect((await back(url.pathname + url.search, sealed)).headers.get('location')).toBe(retry);
  });

  test('whoever says no at the provider is back at the sign-in page', async () => {
    const browser = browserLike();
    const begun = await browser.get(at('/console/login'));
    const state = new URL(begun.headers.get('location')!).searchParams.get('state')!;
    const denied = `/console/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(zone.idp.issuer)}`;
    expect((await browser.get(at(denied))).headers.get('location')).toBe('/console/?sign_in=retry');
  });

  test('no bearer, code or state of a sign-in is in the record or in the table', async () => {
    const { cookie } = await signedIn();
    const kept = JSON.stringify([
      await zone.store.sql`select a::text as text from admissions a`,
      await zone.store.sql`select r::text as text from event_records r`,
    ]);
    expect(cookie).toMatch(/^con_/);
    expect(kept).not.toContain(cookie!);
    expect(kept).not.toContain('code=');
  });

  // The last one: after it the provider is left alone for two seconds.
  test('the provider away is said, and the operator token still works', async () => {
    const browser = browserLike();
    const { url } = await browser.follow(at('/console/login'), (to) => to.pathname === '/console/callback');
    zone.idp.away = true;
    expect((await browser.get(url)).headers.get('location')).toBe('/console/?sign_in=unavailable');
    expect((await zone.rest('GET', '/v1/root/mcp/foundation', { token: OPERATOR })).status).toBe(200);
    zone.idp.away = false;
  });
});

test('over https the cookies are bound to the host and to https; another name of the zone is sent to its public one', async () => {
  const behind = await startIdentityZone({
    facade: { CONSOLE_DIR: dir, PUBLIC_URL: 'https://zone.example.org' },
  });
  try {
    const local = await fetch(`${behind.root_url}/console/login?return_to=/console/leases`, {
      redirect: 'manual',
    });
    expect(local.headers.get('location')).toBe(
      'https://zone.example.org/console/login?return_to=%2Fconsole%2Fleases&moved=1',
    );
    expect(local.headers.getSetCookie()).toEqual([]);
    const proxied = await sendAs(`${behind.root_url}/console/login`, 'zone.example.org');
    expect(proxied.set_cookie[0]).toMatch(/^__Secure-adaos_sign_in=.*; HttpOnly; SameSite=Lax; Secure$/);
    expect(new URL(proxied.location!).searchParams.get('redirect_uri')).toBe(
      'https://zone.example.org/console/callback',
    );
  } finally {
    await behind.stop();
  }
});

test('a zone without an identity provider has no sign-in but its token', async () => {
  const plain = await startIdentityZone({ trust: 'nobody', facade: { CONSOLE_DIR: dir } });
  try {
    expect((await plain.rest('GET', '/console/auth.json')).body).toEqual({ sign_in: null, signed_in: false });
    expect((await plain.rest('POST', '/console/logout')).status).toBe(405);
  } finally {
    await plain.stop();
  }
});
