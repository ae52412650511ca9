import type { ClientConfig, ConfigClient, SessionLease } from '@adaos/contracts';
import { expect } from '@jest/globals';
import { connectClient, lease, rest } from '../api.js';
import type { ZoneUnderTest } from '../zone-under-test.js';

/** What a person gets for one client: a lease, its bearer, and the generated configuration as REST answers it. */
export async function given(zone: ZoneUnderTest, client: ConfigClient, profile = 'InfraOpsControl') {
  const { bearer, session } = await lease(zone, profile);
  const config = await configOf(zone, session, client);
  // Any facade may have written it, and it names itself.
  const { root_url, root_urls = [root_url] } = zone.connection();
  expect(root_urls.filter((url) => config.text.includes(`${url}/v1/root/mcp`))).toHaveLength(1);
  expect(JSON.stringify(config)).not.toContain(bearer);
  return { bearer, session, config, server_name: 'adaos_demo' };
}

/** `GET /sessions/{id}/client-config?client=`. */
export async function configOf(
  zone: ZoneUnderTest,
  { session_id }: Pick<SessionLease, 'session_id'>,
  client: ConfigClient,
): Promise<ClientConfig> {
  const { status, body } = await rest(zone)<ClientConfig>(
    'GET',
    `/sessions/${session_id}/client-config?client=${client}`,
  );
  if (status !== 200) throw new Error(`no configuration: ${JSON.stringify(body)}`);
  return body;
}

/** The list as the official client gets it with that bearer: what every other client must show. */
export async function listed(zone: ZoneUnderTest, bearer: string) {
  const client = await connectClient(zone, bearer, { modern: true });
  try {
    return (await client.listTools()).tools;
  } finally {
    await client.close();
  }
}

export const revoke = (zone: ZoneUnderTest, { session_id }: Pick<SessionLease, 'session_id'>) =>
  rest(zone)('POST', `/sessions/${session_id}/revoke`, { reason: 'test' });

/** What a person must read when their lease is gone, whatever client they use. */
export const REVOKED = 'The lease was revoked; ask the operator for a new one.';

/**
 * Path of a client that is no dependency of ours, or null: then its cases are not registered. `REQUIRE_CLIENTS=1` makes a missing one a
 * failure, since the whole check must not shrink unseen.
 */
export function binary(name: 'CLAUDE_BIN' | 'CODEX_BIN'): string | null {
  const path = process.env[name];
  if (path) return path;
  if (process.env['REQUIRE_CLIENTS'] === '1') throw new Error(`REQUIRE_CLIENTS: ${name} is not set`);
  return null;
}
