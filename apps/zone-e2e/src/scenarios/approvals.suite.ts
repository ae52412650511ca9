import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Approval } from '@adaos/contracts';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { execa } from 'execa';
import { callTool, lease, rest } from '../api.js';
import { REPO, type ZoneUnderTest } from '../zone-under-test.js';

/** A change that waits for an approver, from the stopped call to the approved one, by the command line. */
export const approvals = (zone: () => ZoneUnderTest) =>
  describe('approvals', () => {
    const adaosctl = async (...args: string[]) => {
      const { root_url, operator_token } = zone().connection();
      const { stdout } = await execa(process.execPath, [join(REPO, 'dist/apps/cli/main.mjs'), ...args], {
        env: { ADAOS_URL: root_url, ADAOS_TOKEN: operator_token },
        timeout: 30_000,
      });
      return stdout;
    };

    test('a restart is stopped, listed, approved, and runs once', async () => {
      const { bearer } = await lease(zone(), 'InfraOpsControl');
      const restart = (more: object = {}) =>
        callTool(zone(), bearer, 'hub.restart_service', { service: 'worker', ...more });
      await adaosctl('targets', 'register', 'demo', '--approval', 'writes');
      try {
        const stopped = await restart();
        expect([stopped.status, stopped.error?.code]).toEqual(['approval_required', 'approval_required']);
        const approval_id = String(stopped.error?.details?.['approval_id']);
        expect(await adaosctl('approvals', 'list', '--status', 'pending')).toContain(approval_id);
        expect((await restart({ approval_id })).status).toBe('approval_required');
        expect(await adaosctl('approvals', 'approve', approval_id, '--reason', 'reviewed')).toBe(
          `Approved ${approval_id} hub.restart_service on hub:demo.`,
        );
        const done = await restart({ approval_id });
        expect(done.status).toBe('succeeded');
        expect((await restart({ approval_id })).error?.code).toBe('approval_mismatch');
        const { body } = await rest(zone())<{ approval: Approval }>('GET', `/approvals/${approval_id}`);
        expect(body.approval).toMatchObject({
          status: 'used',
          reason: 'reviewed',
          event_id: stopped.audit_event_id,
          used_by_event_id: done.audit_event_id,
        });
      } finally {
        await adaosctl('targets', 'register', 'demo', '--approval', 'none');
      }
      expect((await restart({ dry_run: true })).status).toBe('succeeded');
    });

    test('a client that opens links is sent to the approval, and its retry runs once it is given', async () => {
      const { bearer } = await lease(zone(), 'InfraOpsControl');
      const opened: string[] = [];
      const client = new Client(
        { name: 'e2e', version: '1.0.0' },
        {
          capabilities: { elicitation: { url: {} } },
          versionNegotiation: { mode: { pin: '2026-07-28' } },
        },
      );
      // The user opens the page at once; the approver decides when the client has come back for the second time.
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const url = String((params as { url?: string }).url);
        opened.push(url);
        if (opened.length === 2)
          await adaosctl('approvals', 'approve', url.split('/').at(-1)!, '--reason', 'seen');
        return { action: 'accept' };
      });
      const headers = { authorization: `Bearer ${bearer}` };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(zone().connection().mcp_url), { requestInit: { headers } }),
      );
      await adaosctl('targets', 'register', 'demo', '--approval', 'writes');
      try {
        const result = await client.callTool({
          name: 'hub_restart_service',
          arguments: { service: 'worker' },
        });
        expect(result.structuredContent).toMatchObject({ service: 'worker', healthy: true });
        expect(opened).toHaveLength(2);
        expect(opened[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/approvals\/apr_\w+$/);
        expect(opened[1]).toBe(opened[0]);
      } finally {
        await adaosctl('targets', 'register', 'demo', '--approval', 'none');
        await client.close();
      }
    });
  });
