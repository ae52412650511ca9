import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomIds, silentLog, systemClock, type Stop } from '@adaos/runtime';
import { zonalFacade } from '@adaos/zonal-facade/module';
import { startSpine, type Spine } from './spine.js';
import { REPO } from './zone-under-test.js';

const SUITE = join(REPO, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const HOOK = join(REPO, 'apps/zone-e2e/src/conformance-hook.mjs');
/** Scenarios that pass, by revision. Only ever grows: a scenario that passes and is missing here is to be added. */
const RECORDED = JSON.parse(readFileSync(new URL('./conformance.json', import.meta.url), 'utf8')) as Record<
  string,
  string[]
>;

/** The suite can send no header: this loopback proxy adds the bearer and keeps Host and Origin as they came. */
function bearerProxy(upstreamPort: () => number, bearer: string): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${bearer}` };
    const upstream = request(
      { host: '127.0.0.1', port: upstreamPort(), path: incoming.url, method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    outgoing.once('close', () => upstream.destroy());
    upstream.once('error', () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  return new Promise((done) => proxy.listen(0, '127.0.0.1', () => done(proxy)));
}

/** Runs the scenarios a revision requires; answers those that passed whole. */
async function passing(url: string, revision: string): Promise<{ passed: string[]; output: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'conformance-'));
  const argv = [
    '--import',
    HOOK,
    SUITE,
    'server',
    '--url',
    url,
    '--requirements',
    revision,
    '--timeout',
    '5000',
    '-o',
    dir,
  ];
  const child = spawn(process.execPath, argv, { env: { PATH: process.env['PATH'], NO_COLOR: '1' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((done) => child.once('close', done));
  rmSync(dir, { recursive: true, force: true });
  // The summary has a line per scenario: `✓ ping: 1 passed, 0 failed`.
  const passed = [...output.matchAll(/^✓ ([\w-]+): [1-9]\d* passed/gm)].map((match) => match[1]!);
  return { passed: [...new Set(passed)].sort(), output };
}

describe('official conformance suite against the facade', () => {
  let spine: Spine;
  let facade: Stop;
  let proxy: Server;

  beforeAll(async () => {
    spine = await startSpine();
    await spine.startRecord();
    await spine.operator('operations.register_target', {
      hub_id: 'h1',
      environment: 'test',
      subnet_id: 's1',
    });
    const issued = await spine.operator('hub.issue_mcp_session', {
      target_id: 'hub:h1',
      capability_profile: 'SdkRead',
    });
    const { bearer } = issued.result as { bearer: string };
    let port = 0;
    proxy = await bearerProxy(() => port, bearer);
    // The suite speaks to the proxy, so the proxy's address is the host that clients know.
    const known = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const config = {
      HOST: '127.0.0.1',
      PORT: 0,
      ALLOWED_HOSTS: known,
      ALLOWED_ORIGINS: `http://${known}`,
      TRUST_PROXY: false,
    };
    port = await new Promise<number>((done, failed) => {
      const on_listening = ({ root_url }: { root_url: string }) => done(Number(new URL(root_url).port));
      zonalFacade
        .start({
          zone: 'local',
          bus: spine.connect('facade'),
          clock: systemClock,
          ids: randomIds,
          log: silentLog,
          config,
          on_listening,
        })
        .then((stop) => (facade = stop), failed);
    });
  }, 60_000);
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await facade();
    await spine.stop();
  }, 30_000);

  test.each(['2026-07-28', '2025-11-25'])(
    'passes at least what is recorded for %s',
    async (revision) => {
      const { port } = proxy.address() as AddressInfo;
      const { passed, output } = await passing(`http://127.0.0.1:${port}/v1/root/mcp`, revision);
      const recorded = RECORDED[revision]!;
      if (process.env['SHOW_CONFORMANCE'] === '1')
        console.log(`${revision}: ${JSON.stringify(passed)}\n${output.slice(-6_000)}`);
      expect(recorded.filter((name) => !passed.includes(name))).toEqual([]);
      expect(passed.filter((name) => !recorded.includes(name))).toEqual([]);
    },
    240_000,
  );
});
