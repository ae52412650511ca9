import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Admission } from '@adaos/contracts';
import { startIdentityProvider, type IdentityProvider } from '@adaos/testing/identity-provider';
import { launchSplit, type SplitZone } from './split-zone.js';

const RESOURCE = 'http://127.0.0.1:8930/v1/root/mcp';
const SCOPE = 'profile:InfraOpsRead';

/** Tokens of a trusted authorization server, over separate processes and a real broker. */
export const splitIdentity = () =>
  describe('split zone in OAuth mode', () => {
    let idp: IdentityProvider;
    let zone: SplitZone;
    beforeAll(async () => {
      idp = await startIdentityProvider({ scopes: [SCOPE] });
      zone = await launchSplit({
        env: {
          OAUTH_ISSUERS: idp.issuer,
          OAUTH_RESOURCE: RESOURCE,
          OAUTH_DEFAULT_TARGET: 'hub:demo',
        },
      });
    }, 120_000);
    afterAll(async () => {
      await zone?.stop();
      await idp?.stop();
    }, 60_000);

    const facades = () => zone.connection().root_urls!;
    const call = async (root_url: string, bearer: string) => {
      const response = await fetch(`${root_url}/v1/root/mcp/call`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ tool_id: 'hub.get_status' }),
      });
      return { status: response.status, body: (await response.json()) as { ok: boolean } };
    };

    test('every facade tells where tokens come from', async () => {
      for (const root_url of facades()) {
        const got = await fetch(`${root_url}/.well-known/oauth-protected-resource/v1/root/mcp`);
        expect([got.status, await got.json()]).toMatchObject([
          200,
          { resource: RESOURCE, authorization_servers: [idp.issuer] },
        ]);
      }
    });

    test('a token is good at every facade, and at none once its admission is revoked', async () => {
      const token = await idp.robotToken(SCOPE, RESOURCE);
      for (const root_url of facades()) {
        const { status, body } = await call(root_url, token);
        expect([status, body.ok]).toEqual([200, true]);
      }
      const { operator_token } = zone.connection();
      const operator = async <T>(method: string, path: string) =>
        (await (
          await fetch(`${facades()[0]}/v1/root/mcp${path}`, {
            method,
            headers: { authorization: `Bearer ${operator_token}`, 'content-type': 'application/json' },
            ...(method === 'POST' && { body: '{}' }),
          })
        ).json()) as T;
      const { admissions } = await operator<{ admissions: Admission[] }>('GET', '/admissions');
      expect(admissions.map((a) => [a.issuer, a.auth_method, a.target_id])).toEqual([
        [idp.issuer, 'oauth_access_token', 'hub:demo'],
      ]);
      await operator('POST', `/admissions/${admissions[0]!.admission_id}/revoke`);
      for (const root_url of facades()) expect((await call(root_url, token)).status).toBe(401);
    });

    test('a token for another audience opens nothing', async () => {
      const now = Math.floor(Date.now() / 1000);
      const foreign = await idp.sign(
        {
          iss: idp.issuer,
          aud: 'https://elsewhere.example/mcp',
          sub: 'robot',
          client_id: 'robot',
          jti: 'one',
          scope: SCOPE,
          iat: now,
          exp: now + 600,
        },
        { typ: 'at+jwt' },
      );
      for (const root_url of facades()) expect((await call(root_url, foreign)).status).toBe(401);
    });
  });
