import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openTab, PHONE, settled, signIn, WIDE } from './browser.fixture.js';
import { send, type Zone } from './zone.fixture.js';

/** The pictures of the docs: CONSOLE_PICTURES=docs/images and a run of this suite makes them anew. */
export function picturesSuite(dir: string, given: () => { zone: Zone; browser: Browser }): void {
  const take = (name: string, path: string, scheme: 'light' | 'dark', viewport: typeof WIDE) =>
    test(`picture ${name}`, async () => {
      const { zone, browser } = given();
      const { root_url, operator_token } = zone.connection();
      const { page, context } = await openTab(browser, { colorScheme: scheme, viewport });
      const { body } = await send<{ events: { event_id: string }[] }>(
        zone,
        operator_token,
        'GET',
        '/audit?status=denied&tool_id=hub.restart_service&limit=1',
      );
      const waiting = await send<{ approvals: { approval_id: string }[] }>(
        zone,
        operator_token,
        'GET',
        '/approvals?limit=1',
      );
      const named = path
        .replace('EVENT', body.events[0]!.event_id)
        .replace('APPROVAL', waiting.body.approvals[0]!.approval_id);
      await page.goto(`${root_url}/console${named}`);
      await signIn(page, operator_token);
      await settled(page);
      // A row under the pointer would look chosen.
      await page.mouse.move(0, 0);
      await page.locator('.brand-zone', { hasText: /./ }).waitFor();
      mkdirSync(dir, { recursive: true });
      await page.screenshot({ path: join(dir, `console-${name}.png`), animations: 'disabled' });
      await context.close();
    });

  take('overview', '/', 'light', WIDE);
  take('why-denied', '/events?event=EVENT', 'dark', WIDE);
  take('target', '/targets/hub:demo', 'light', WIDE);
  take('leases', '/leases', 'dark', WIDE);
  take('approvals', '/approvals', 'light', WIDE);
  take('phone-approval', '/approvals/APPROVAL', 'dark', PHONE);
  take('phone-overview', '/', 'dark', PHONE);
  take('phone-why-denied', '/events?event=EVENT', 'light', PHONE);
}
