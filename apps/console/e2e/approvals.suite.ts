import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { shortId } from '../src/text/ids.js';
import { HOSTILE, HOSTILE_SHOWN } from './hostile.fixture.js';
import { askForApproval, send, type Zone } from './zone.fixture.js';

/** A stopped call, decided in the browser. */
export function approvalsSuite(
  given: () => { zone: Zone; page: Page; open: (path: string) => Promise<void> },
): void {
  describe('approvals', () => {
    const zone = () => given().zone;

    const restart = (bearer: string, approval_id: string) =>
      send<{ status: string; error?: { code: string; details?: Record<string, unknown> } }>(
        zone(),
        bearer,
        'POST',
        '/call',
        { tool_id: 'hub.restart_service', arguments: { service: 'web' }, approval_id },
      );

    test('a stopped call is approved in two clicks from its event, and then runs', async () => {
      const { bearer, approval_id } = await askForApproval(zone(), 'web');
      await given().open('/events?status=approval_required');
      await given().page.locator('.row-link').first().click();
      await given().page.getByRole('link', { name: 'Open the approval' }).click();
      await given().page.waitForURL(`${zone().connection().root_url}/console/approvals/${approval_id}`);
      await given().page.getByText('"service": "web"').waitFor();
      await given()
        .page.getByRole('button', { name: /^Approve/ })
        .click();
      await given().page.getByLabel('Reason').fill('seen');
      await given().page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
      await given().page.getByText('operator:bootstrap').waitFor();
      expect((await restart(bearer, approval_id)).body.status).toBe('succeeded');
      await given().open(`/approvals/${approval_id}`);
      await given().page.getByText('used', { exact: true }).waitFor();
      expect(
        await given()
          .page.getByRole('button', { name: /^Approve/ })
          .count(),
      ).toBe(0);
    });

    test('a rejected one is refused with the reason given, hostile or not', async () => {
      const { bearer, approval_id } = await askForApproval(zone(), 'web');
      await given().open('/approvals?status=pending');
      await given()
        .page.getByRole('button', { name: `Reject ${shortId(approval_id)}` })
        .click();
      await given().page.getByLabel('Reason').fill(HOSTILE);
      await given().page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
      await given().page.getByRole('dialog').waitFor({ state: 'detached' });
      expect((await restart(bearer, approval_id)).body.error).toMatchObject({
        code: 'forbidden',
        details: { reason: HOSTILE },
      });
      await given().open(`/approvals/${approval_id}`);
      await given().page.getByText(HOSTILE_SHOWN).waitFor();
    });
  });
}
