import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { callTool, connectClient, events, lease } from './api.js';
import { launch, REPO, type ZoneUnderTest } from './zone-under-test.js';

const noDatabase = async () => ({ query: async () => [] });
const embedded = (env: Record<string, string> = {}) =>
  launch({ script: 'dist/apps/zone/main.mjs', topology: 'embedded', env, database: noDatabase });

/** Starts the zone expecting it to fail; answers its exit code and what it said. */
function failing(
  env: Record<string, string>,
  argv = [join(REPO, 'dist/apps/zone/main.mjs')],
): Promise<{ code: number | null; said: string }> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, argv, {
    cwd: REPO,
    env: { PATH, HOME, NO_COLOR: '1', ZONE_PORT: '0', ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((done) => child.once('close', (code) => done({ code, said })));
}

describe('start', () => {
  const zones: ZoneUnderTest[] = [];
  afterAll(async () => {
    for (const zone of zones) await zone.stop();
  });

  test('connection.json holds what a tool needs, for its owner only', async () => {
    const zone = await embedded();
    zones.push(zone);
    const connection = zone.connection();
    expect(Object.keys(connection)).toEqual([
      'root_url',
      'mcp_url',
      'console_url',
      'zone',
      'target_id',
      'subnet_id',
      'bearer',
      'operator_token',
      'pid',
    ]);
    expect(connection).toMatchObject({
      mcp_url: `${connection.root_url}/v1/root/mcp`,
      zone: 'local',
      target_id: 'hub:demo',
      subnet_id: 'demo-subnet',
    });
    expect(() => process.kill(connection.pid, 0)).not.toThrow();
    expect(statSync(join(zone.data_dir, 'connection.json')).mode & 0o777).toBe(0o600);
    expect((await callTool(zone, connection.bearer, 'hub.get_status')).ok).toBe(true);
    for (const part of [
      connection.mcp_url,
      connection.bearer,
      connection.console_url,
      '"mcpServers"',
      'bearer_token_env_var',
    ])
      expect(zone.output()).toContain(part);
  });

  test('ZONE_PROFILE chooses what the printed lease may do', async () => {
    const zone = await embedded({ ZONE_PROFILE: 'SdkRead' });
    zones.push(zone);
    const client = await connectClient(zone, zone.connection().bearer);
    expect((await client.listTools()).tools.map((t) => t.name)).toEqual([
      'adaos_dev_get_foundation',
      'adaos_dev_list_contracts',
      'adaos_dev_get_contract',
      'adaos_dev_list_descriptors',
      'adaos_dev_get_descriptor',
      'adaos_dev_list_capability_classes',
    ]);
    const { structuredContent } = (await client.callTool({
      name: 'adaos_dev_get_foundation',
      arguments: {},
    })) as { structuredContent: { foundation: { zone: string } } };
    expect(structuredContent.foundation.zone).toBe('local');
    await client.close();
  });

  test('a lease issued before a restart works after it, and its events are still there', async () => {
    const zone = await embedded();
    zones.push(zone);
    const { bearer, session } = await lease(zone, 'InfraOpsRead');
    const before = await callTool(zone, bearer, 'hub.get_status');
    process.kill(zone.connection().pid, 'SIGKILL');
    await zone.start();
    expect((await callTool(zone, bearer, 'hub.get_status')).ok).toBe(true);
    expect((await events(zone, `lease_id=${session.session_id}`)).map((e) => e.event_id)).toContain(
      before.audit_event_id,
    );
  });

  const folder = mkdtempSync(join(tmpdir(), 'start-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each<[string, () => Promise<{ code: number | null; said: string }>, RegExp]>([
    [
      'a taken port',
      async () => {
        const server = createServer();
        const port = await new Promise<number>((done) =>
          server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port)),
        );
        const answer = await failing({ ZONE_PORT: String(port), ZONE_DATA_DIR: join(folder, 'port') });
        server.close();
        return answer;
      },
      /127\.0\.0\.1:\d+ is in use by another process; set .*ZONE_PORT/,
    ],
    [
      'a data directory that is a file',
      async () => {
        writeFileSync(join(folder, 'file'), '');
        return failing({ ZONE_DATA_DIR: join(folder, 'file') });
      },
      /data directory .*ZONE_DATA_DIR/,
    ],
    [
      'a port that is no number',
      () => failing({ ZONE_PORT: 'http', ZONE_DATA_DIR: join(folder, 'x') }),
      /ZONE_PORT must be a whole number from 0 to 65535/,
    ],
    [
      'an unknown profile',
      () => failing({ ZONE_PROFILE: 'Root', ZONE_DATA_DIR: join(folder, 'x') }),
      /ZONE_PROFILE must be one of SdkRead, /,
    ],
    [
      'an old Node',
      () =>
        failing({}, [
          '--input-type=module',
          '-e',
          `import { requireNode } from '${join(REPO, 'tools/bootstrap/prepare.mjs')}'; requireNode('18.19.0');`,
        ]),
      /This needs Node 20\.19 or newer; this is 18\.19\.0/,
    ],
  ])('%s: one clear sentence and no stack', async (_name, run, sentence) => {
    const { code, said } = await run();
    expect([1, 2]).toContain(code);
    expect(said).toMatch(sentence);
    expect(said).not.toMatch(/\n\s+at |node:internal|UnhandledPromise/);
  });
});
