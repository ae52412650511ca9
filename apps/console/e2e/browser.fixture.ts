import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A loaded machine of two cores takes seconds for what takes a moment alone. */
const WAIT_MS = 15_000;

export const WIDE = { width: 1280, height: 860 };
export const PHONE = { width: 390, height: 844 };

/** The system's Chromium with a profile of its own, talking to nobody but the zone. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained of: uncaught errors, refused scripts and styles, opened dialogs. */
  readonly complaints: string[];
}

/** A fresh tab that writes down every complaint, so that a test can hold that there was none. */
export async function openTab(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Tab> {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // A refusal of the zone is an answer like any other; the browser logs it all the same.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(`console: ${message.text()}`);
  });
  return { page, context, complaints };
}

/** Types the token into the sign-in page that is open. */
export async function trySignIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Operator token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in, and waits until the zone has said yes. */
export async function signIn(page: Page, token: string): Promise<void> {
  await trySignIn(page, token);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Waits until the page has its heading and nothing on it loads; says what it shows instead when that never comes. */
export async function settled(page: Page): Promise<void> {
  try {
    await page.locator('h1').waitFor();
    await page.waitForFunction(() => document.querySelector('.loading, [aria-busy="true"]') === null);
  } catch (error) {
    const shown = await page.evaluate(() => document.documentElement.innerText);
    throw new Error(`${page.url()} never settled; it shows: ${shown || 'nothing'}`, { cause: error });
  }
}

/** Rules of axe that the page breaks, with where. Run through the debugger: the page's own policy would refuse the script. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    );
  });
}
