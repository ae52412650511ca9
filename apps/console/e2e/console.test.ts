import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { RULE_ADVICE } from '../src/text/advice.js';
import { launchBrowser, openTab, settled, signIn, trySignIn, type Tab } from './browser.fixture.js';
import { approvalsSuite } from './approvals.suite.js';
import { everyPageSuite } from './every-page.suite.js';
import { picturesSuite } from './pictures.suite.js';
import { HOSTILE, HOSTILE_SHOWN } from './hostile.fixture.js';
import { call, issue, liveALittle, startZone, type Zone } from './zone.fixture.js';

const REPO = resolve(new URL('../../..', import.meta.url).pathname);
const dir = mkdtempSync(join(tmpdir(), 'console-'));
let zone: Zone;
let browser: Browser;
let tab: Tab;
let page: Page;

const at = (path: string) => `${zone.connection().root_url}/console${path}`;
const open = async (path: string) => {
  await page.goto(at(path));
  await settled(page);
};

beforeAll(async () => {
  const vite = join(REPO, 'node_modules/vite/bin/vite.js');
  execFileSync(
    process.execPath,
    [vite, 'build', 'apps/console', '--outDir', dir, '--emptyOutDir', '--logLevel', 'warn'],
    {
      cwd: REPO,
    },
  );
  zone = await startZone(dir);
  await liveALittle(zone);
  browser = await launchBrowser();
  tab = await openTab(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  page = tab.page;
  await page.goto(at('/'));
  await signIn(page, zone.connection().operator_token);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await zone?.stop();
  rmSync(dir, { recursive: true, force: true });
});

// Before anything is done to the zone.
const pictures = process.env['CONSOLE_PICTURES'];
if (pictures) picturesSuite(resolve(REPO, pictures), () => ({ zone, browser }));

describe('signing in', () => {
  test('what is no operator token is refused in a sentence', async () => {
    const other = await openTab(browser);
    await other.page.goto(at('/'));
    const told = other.page.getByRole('alert');
    for (const [token, sentence] of [
      ['two words', 'This is no token'],
      ['mcp_made_up_but_well_formed', 'does not know this token'],
      [(await issue(zone, 'AuditRead')).bearer, 'bearer of a lease'],
    ] as const) {
      await trySignIn(other.page, token);
      await told.getByText(sentence).waitFor();
    }
    await other.context.close();
  });

  test('a deep link survives; the token is in this tab’s session storage and nowhere else', async () => {
    const { operator_token } = zone.connection();
    const other = await openTab(browser);
    await other.page.goto(at('/leases?status=active'));
    await signIn(other.page, operator_token);
    await other.page.getByRole('heading', { name: 'Leases' }).waitFor();
    expect(other.page.url()).toBe(at('/leases?status=active'));
    const kept = await other.page.evaluate(() => [
      JSON.stringify(sessionStorage),
      JSON.stringify(localStorage),
      document.cookie,
    ]);
    expect([kept[0]!.includes(operator_token), kept.slice(1)]).toEqual([true, ['{}', '']]);
    expect(await other.page.content()).not.toContain(operator_token);
    await other.context.close();
  });

  test('a token that the zone takes no more leads back to signing in, which says so', async () => {
    const other = await openTab(browser);
    await other.page.goto(at('/targets'));
    await other.page.evaluate(() =>
      sessionStorage.setItem('adaos.operator_token', 'adm_of_an_earlier_start'),
    );
    await other.page.reload();
    await other.page.getByText('no longer accepts this token').waitFor();
    expect([other.page.url(), await other.page.evaluate(() => sessionStorage.length)]).toEqual([
      at('/targets'),
      0,
    ]);
    await other.context.close();
  });
});

describe('a lease from its issue to its end', () => {
  let bearer: string;
  let session_id: string;

  test('issued by the form, its bearer shown once and copied, its client configurations without it', async () => {
    await open('/leases');
    await page.getByRole('link', { name: 'Issue a lease' }).click();
    await page.getByLabel('Profile').selectOption('InfraOpsRead');
    await page.getByLabel('Life').selectOption({ label: '1 h' });
    await page.getByLabel('Note').fill(HOSTILE);
    await page.getByRole('button', { name: 'Issue the lease' }).click();
    await page.getByRole('heading', { name: 'Lease issued' }).waitFor();
    bearer = await page.getByLabel('bearer', { exact: true }).innerText();
    expect(bearer).toMatch(/^mcp_[A-Za-z0-9_-]{43}$/);
    await page.getByRole('button', { name: 'Copy bearer' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(bearer);
    for (const client of ['Codex', 'Claude Code', 'VS Code', 'Cursor', 'Inspector']) {
      await page.getByRole('button', { name: client, exact: true }).click();
      const text = page.getByLabel(client === 'Inspector' ? 'command' : 'configuration', { exact: true });
      await text.getByText(zone.connection().mcp_url).waitFor();
      expect(await text.innerText()).not.toContain(bearer);
    }
    await page.getByRole('link', { name: 'open the lease' }).click();
    await page.getByRole('heading', { name: 'About' }).waitFor();
    session_id = page.url().split('/').at(-1)!;
    await page.goBack();
    await settled(page);
    const left = await page.evaluate(
      () => document.documentElement.outerHTML + JSON.stringify(sessionStorage) + location.href,
    );
    expect(left).not.toContain(bearer);
  });

  test('a hostile note is text wherever it stands', async () => {
    await open('/leases');
    await page.getByText(HOSTILE_SHOWN).waitFor();
    await open(`/leases/${session_id}`);
    await page.getByText(HOSTILE_SHOWN).waitFor();
    await open(`/events?lease=${encodeURIComponent(HOSTILE.slice(0, 60))}`);
    await page.getByText('Nothing in the record matches.').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  test('a denied call shows by itself, and two clicks from the first page say why and what to do', async () => {
    await open('/');
    expect((await call(zone, bearer, 'hub.restart_service', { service: 'web' })).body.error?.code).toBe(
      'tool_not_found',
    );
    const advice = RULE_ADVICE['grant.tool_not_listed']!;
    // Nothing was reloaded: the page heard of it. Click one.
    const trouble = page.locator('li', { hasText: advice.why }).filter({ hasText: 'hub.restart_service' });
    await trouble.getByRole('link', { name: 'Why, and what to do' }).click();
    const panel = page.getByRole('complementary', { name: 'One event' });
    await panel.getByText('Why was it denied?').waitFor();
    for (const text of [advice.why, advice.act, 'grant.tool_not_listed', session_id, 'codex 1.4 over rest'])
      await panel.getByText(text).first().waitFor();
    // Click two: where it can be done.
    await panel.getByRole('link', { name: 'Issue a lease' }).click();
    await page.getByRole('heading', { name: 'What InfraOpsRead may do' }).waitFor();
  });

  test('revoked after asking, and out at once', async () => {
    expect((await call(zone, bearer, 'hub.get_status')).status).toBe(200);
    await open(`/leases/${session_id}`);
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('button', { name: 'Keep as it is' }).click();
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByLabel('Reason').fill('done with it');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('done with it').waitFor();
    expect((await call(zone, bearer, 'hub.get_status')).status).toBe(401);
    await open('/leases?status=revoked');
    await page.getByText(HOSTILE_SHOWN).waitFor();
  });
});

describe('targets', () => {
  test('the skill is switched off and on after asking, and the page says what is withheld and why', async () => {
    const { bearer } = await issue(zone, 'InfraOpsRead');
    await open('/targets/hub:demo');
    await page.getByRole('cell', { name: 'worker' }).waitFor();
    await page.getByRole('button', { name: 'Disable the skill' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable the skill' }).click();
    await page.getByText('infra_access_skill is disabled').first().waitFor();
    expect((await call(zone, bearer, 'hub.get_status')).body.error?.code).toBe('skill_disabled');
    await page.getByRole('button', { name: 'Enable the skill' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable the skill' }).click();
    await page.getByRole('heading', { name: 'Published tools (5)' }).waitFor();
  });

  test('one that is not there is told, with its way into the record', async () => {
    await open('/targets/hub:nowhere');
    await page.getByText('The target could not be read.').waitFor();
    await page.getByRole('link', { name: 'See it in the record' }).click();
    await page.getByRole('cell', { name: 'target_not_found' }).waitFor();
  });
});

describe('the record', () => {
  test('a row opens by keyboard, Escape closes it and gives the focus back', async () => {
    await open('/events?status=denied');
    const row = page.locator('.row-link').first();
    await row.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Why was it denied?').waitFor();
    expect(new URL(page.url()).searchParams.get('event')).toMatch(/^evt_/);
    await page.keyboard.press('Escape');
    await page.getByText('Why was it denied?').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.classList.contains('row-link'));
    expect(page.url()).toBe(at('/events?status=denied'));
  });

  test('filters live in the URL, and Back undoes them', async () => {
    await open('/events');
    await page.getByLabel('Status').selectOption('denied');
    await page.getByRole('combobox', { name: 'Tool' }).fill('hub.get_logs');
    await page.keyboard.press('Enter');
    await page.waitForURL(at('/events?status=denied&tool=hub.get_logs'));
    await page.getByRole('cell', { name: 'invalid_argument' }).first().waitFor();
    await page.goBack();
    await page.waitForURL(at('/events?status=denied'));
  });

  test('a zone that is away is told, what was read stays, and it goes on by itself', async () => {
    await open('/events');
    await page.route('**/v1/root/mcp/**', (route) => route.abort());
    await page.getByText('Reconnecting').waitFor();
    expect(await page.locator('.row-link').count()).toBeGreaterThan(5);
    await page.unroute('**/v1/root/mcp/**');
    await page.getByText('Live', { exact: true }).waitFor();
  });

  test('a hidden tab does not look', async () => {
    const other = await openTab(browser);
    await other.page.clock.install();
    let looks = 0;
    other.page.on('request', (request) => (looks += request.url().includes('/audit') ? 1 : 0));
    await other.page.goto(at('/events'));
    await signIn(other.page, zone.connection().operator_token);
    await settled(other.page);
    const show = (state: string) =>
      other.page.evaluate((visibility) => {
        Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await show('hidden');
    const before = looks;
    await other.page.clock.runFor(60_000);
    expect(looks).toBe(before);
    const look = other.page.waitForRequest(/\/audit\?/);
    await show('visible');
    await look;
    await other.context.close();
  });
});

approvalsSuite(() => ({ zone, page, open }));
everyPageSuite(() => ({ zone, browser }));
