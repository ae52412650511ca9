import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
// One starter for every test of identities; a second copy of it would drift.
import { startIdentityZone, type IdentityZone } from '../../zone-e2e/src/identity-zone.js';
import { axeViolations, launchBrowser, openTab, settled } from './browser.fixture.js';

const REPO = resolve(new URL('../../..', import.meta.url).pathname);

const dir = mkdtempSync(join(tmpdir(), 'console-'));
let zone: IdentityZone;
let browser: Browser;

beforeAll(async () => {
  const vite = join(REPO, 'node_modules/vite/bin/vite.js');
  execFileSync(
    process.execPath,
    [vite, 'build', 'apps/console', '--outDir', dir, '--emptyOutDir', '--logLevel', 'warn'],
    { cwd: REPO },
  );
  // The provider is at 127.0.0.1: to a browser another site, as in life.
  zone = await startIdentityZone({ facade: { CONSOLE_DIR: dir }, public_host: 'localhost' });
  zone.idp.account = { sub: 'ann', claims: { roles: ['zone-admins'] } };
  browser = await launchBrowser();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await zone?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const at = (path: string) => `${zone.root_url}/console${path}`;

describe('signing in with the identity provider', () => {
  test('there and back to the page that was asked for; the session is in no script’s reach', async () => {
    const { page, context, complaints } = await openTab(browser);
    await page.goto(at('/events?status=denied'));
    const button = page.getByRole('link', { name: 'Sign in with Test login' });
    await button.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await button.click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await settled(page);
    expect(page.url()).toBe(at('/events?status=denied'));
    expect(await page.evaluate(() => [document.cookie, sessionStorage.length, localStorage.length])).toEqual([
      '',
      0,
      0,
    ]);
    const [cookie] = (await context.cookies(zone.root_url)).filter(({ name }) => name === 'adaos_console');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    await page.goto(at('/leases/new'));
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.reload();
    const left = page.waitForResponse(at('/logout'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await button.waitFor();
    expect((await left).status()).toBe(200);
    await page.reload();
    await button.waitFor();
    expect((await context.cookies(zone.root_url)).map(({ name }) => name)).not.toContain('adaos_console');
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('an account without a role reads what is missing', async () => {
    zone.idp.account = { sub: 'bob', claims: { roles: ['visitors'] } };
    const { page, context } = await openTab(browser);
    await page.goto(at('/'));
    await page.getByRole('link', { name: 'Sign in with Test login' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('Your account has no role in this zone.');
    expect(page.url()).toBe(at('/'));
    zone.idp.account = { sub: 'ann', claims: { roles: ['zone-admins'] } };
    await context.close();
  });

  test('a session that an operator ended says so and asks to sign in again', async () => {
    const { page, context } = await openTab(browser);
    await page.goto(at('/'));
    await page.getByRole('link', { name: 'Sign in with Test login' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const { body } = await zone.operator('GET', '/admissions?status=active');
    for (const { admission_id } of body.admissions)
      await zone.operator('POST', `/admissions/${admission_id}/revoke`, {});
    await page.getByRole('link', { name: 'Targets', exact: true }).click();
    await page.getByText('Your session has ended. Sign in again.').waitFor();
    await page.getByRole('link', { name: 'Sign in with Test login' }).waitFor();
    await context.close();
  });
});
