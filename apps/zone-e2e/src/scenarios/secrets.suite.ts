import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { callTool, lease, mcpCall, mcpRaw, rest } from '../api.js';
import type { ZoneUnderTest } from '../zone-under-test.js';

const PLANTED = 'ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake0123';

/** A bearer appears in no log, event, table, argv or error, wherever a client puts it. */
export const secrets = (zone: () => ZoneUnderTest) =>
  describe('secrets', () => {
    test('a bearer and a planted secret are in no table, file, output, argv or answer', async () => {
      const { bearer, session } = await lease(zone(), 'InfraOpsControl');
      const { operator_token } = zone().connection();
      const hidden = [bearer, operator_token, zone().connection().bearer, PLANTED];
      const answers: string[] = [];
      const keep = (value: unknown) => answers.push(JSON.stringify(value));

      keep(await callTool(zone(), bearer, 'hub.get_status'));
      // As arguments, names, ids and headers: everything that is written down.
      keep(await callTool(zone(), bearer, 'hub.get_logs', { source: 'web', contains: bearer }));
      keep(await callTool(zone(), bearer, 'hub.get_logs', { source: PLANTED }));
      keep(await callTool(zone(), bearer, 'hub.restart_service', { service: bearer.slice(0, 60) }));
      keep(await callTool(zone(), bearer, bearer, {}));
      keep(await callTool(zone(), bearer, 'hub.get_status', {}, { request_id: bearer }));
      keep(
        (
          await mcpRaw(zone(), bearer, {
            jsonrpc: '2.0',
            id: bearer,
            method: 'initialize',
            params: {
              protocolVersion: '2025-06-18',
              capabilities: {},
              clientInfo: { name: bearer, version: bearer },
            },
          })
        ).status,
      );
      keep(
        (
          await mcpRaw(
            zone(),
            bearer,
            { jsonrpc: '2.0', id: 1, method: 'ping' },
            { 'user-agent': bearer, traceparent: bearer },
          )
        ).text,
      );
      keep((await mcpCall(zone(), bearer, `hub_${bearer}`, { token: bearer })).json);
      keep((await mcpCall(zone(), `${bearer}x`, 'hub_get_status', {})).text);
      keep((await rest(zone(), bearer)('GET', `/targets/${encodeURIComponent(bearer)}`)).body);
      keep((await rest(zone(), '')('GET', `/targets?access_token=${bearer}`)).body);
      keep(
        (await rest(zone())('POST', `/sessions/${session.session_id}/revoke`, { reason: `leaked ${bearer}` }))
          .body,
      );
      const revoked = answers.pop()!;

      const found = (text: string) => hidden.filter((secret) => text.includes(secret)).length;
      expect(answers.map(found)).toEqual(answers.map(() => 0));
      expect(found(revoked)).toBe(0);
      expect(
        found(zone().output().replaceAll(zone().connection().bearer, '').replaceAll(operator_token, '')),
      ).toBe(0);
      const argv = Object.values(zone().processes()).map((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
      );
      expect(argv.map(found)).toEqual(argv.map(() => 0));
      expect(await tablesHolding(zone(), hidden)).toEqual([]);
      expect(filesHolding(zone().data_dir, hidden)).toEqual(['connection.json']);
      expect(statSync(join(zone().data_dir, 'connection.json')).mode & 0o777).toBe(0o600);
    });
  });

async function tablesHolding(zone: ZoneUnderTest, hidden: readonly string[]): Promise<string[]> {
  const tables = await zone.sql<{ table_name: string }>(
    'select table_name from information_schema.tables where table_schema = current_schema() order by table_name',
  );
  const holding: string[] = [];
  for (const { table_name } of tables) {
    const rows = await zone.sql<{ row: string }>(`select row_to_json(t)::text as row from "${table_name}" t`);
    if (rows.some(({ row }) => hidden.some((secret) => row.includes(secret)))) holding.push(table_name);
  }
  expect(tables.length).toBeGreaterThan(4);
  return holding;
}

/** Files below a directory that hold one of the secrets; the database's own files were searched as tables. */
function filesHolding(dir: string, hidden: readonly string[], path = ''): string[] {
  return readdirSync(join(dir, path), { withFileTypes: true }).flatMap((entry) => {
    const name = join(path, entry.name);
    if (entry.isDirectory()) return entry.name === 'postgres' ? [] : filesHolding(dir, hidden, name);
    if (!entry.isFile()) return [];
    const bytes = readFileSync(join(dir, name));
    return hidden.some((secret) => bytes.includes(secret)) ? [name] : [];
  });
}
