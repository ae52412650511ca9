import { describe, expect, test } from '@jest/globals';
import type { StoredEvent } from '@adaos/contracts';
import type { Browser } from 'playwright-core';
import { axeViolations, openTab, PHONE, settled, signIn, WIDE } from './browser.fixture.js';
import { send, type Zone } from './zone.fixture.js';

/** Paths of every page, on a zone that has lived a little. */
async function pagesOf(zone: Zone): Promise<string[]> {
  const { body } = await send<{ events: StoredEvent[] }>(
    zone,
    zone.connection().operator_token,
    'GET',
    '/audit?status=denied&tool_id=hub.restart_service&limit=1',
  );
  const { event_id, lease_id } = body.events[0]!;
  const approvals = await send<{ approvals: { approval_id: string }[] }>(
    zone,
    zone.connection().operator_token,
    'GET',
    '/approvals?limit=1',
  );
  return [
    '/',
    '/events',
    `/events?event=${event_id}`,
    '/targets',
    '/targets/hub:demo',
    '/targets/hub:rig-07',
    '/leases',
    `/leases/${lease_id}`,
    '/leases/new',
    '/approvals',
    `/approvals/${approvals.body.approvals[0]!.approval_id}`,
    '/nowhere',
    // Refused and empty ones.
    '/events?status=nonsense',
    '/events?tool=none',
    '/targets/hub:gone',
  ];
}

/** What must hold on every page alike: for people who do not see it, on a phone, and in the dark. */
export function everyPageSuite(given: () => { zone: Zone; browser: Browser }): void {
  describe('every page', () => {
    test.each([
      ['light', WIDE],
      ['dark', WIDE],
      ['light', PHONE],
      ['dark', PHONE],
    ] as const)(
      '%s at %j: axe finds nothing, nothing sticks out, the browser complains of nothing',
      async (scheme, viewport) => {
        const { zone, browser } = given();
        const { page, context, complaints } = await openTab(browser, { colorScheme: scheme, viewport });
        const found: string[] = [];
        const look = async (name: string) => {
          for (const violation of await axeViolations(page)) found.push(`${name} ${violation}`);
          if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
            found.push(`${name} is wider than the screen`);
        };
        const open = (path: string) => page.goto(`${zone.connection().root_url}/console${path}`);
        await open('/');
        await look('sign-in');
        await signIn(page, zone.connection().operator_token);
        for (const path of await pagesOf(zone)) {
          await open(path);
          await settled(page);
          await look(path);
        }
        await open('/leases?status=active');
        await page
          .getByRole('button', { name: /^Revoke/ })
          .first()
          .click();
        await look('revoke dialog');
        expect([...found, ...complaints]).toEqual([]);
        await context.close();
      },
      120_000,
    );
  });
}
