import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { launchEmbedded } from './embedded-zone.js';
import { REPO, type ZoneUnderTest } from './zone-under-test.js';

const SUITE = join(REPO, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const HERE = join(REPO, 'apps/zone-e2e/src');

/** The suite can send no header: this loopback proxy adds the bearer. Its own name is the zone's; any other goes through as it came. */
function bearerProxy(upstream: URL, bearer: string): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const own = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { host, origin, ...rest } = incoming.headers;
    const headers = {
      ...rest,
      host: host === own ? upstream.host : host,
      ...(origin && { origin: origin === `http://${own}` ? upstream.origin : origin }),
      authorization: `Bearer ${bearer}`,
    };
    const { hostname, port } = upstream;
    const passed = request(
      { host: hostname, port, path: incoming.url, method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    outgoing.once('close', () => passed.destroy());
    passed.once('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  return new Promise((done) => proxy.listen(0, '127.0.0.1', () => done(proxy)));
}

/** Runs the suite's program; answers its exit code and what it wrote. */
async function suite(...args: string[]) {
  const argv = ['--import', join(HERE, 'conformance-hook.mjs'), SUITE, ...args];
  const child = spawn(process.execPath, argv, { env: { PATH: process.env['PATH'], NO_COLOR: '1' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, output };
}

/** Server scenarios that a revision requires, as its frozen list has them. */
async function required(revision: string): Promise<string[]> {
  const { output } = await suite('list', '--server', '--requirements', revision);
  const [, listed = ''] = /Server scenarios[^\n]*\n([^]*?)\n\n/.exec(output) ?? [];
  return [...listed.matchAll(/^ {2}- ([\w-]+)$/gm)].map((match) => match[1]!);
}

/** What failed and why, for whoever reads a red run. */
const faultsIn = (dir: string): string[] =>
  readdirSync(dir).flatMap((scenario) => {
    const checks = JSON.parse(readFileSync(join(dir, scenario, 'checks.json'), 'utf8')) as any[];
    return checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(
        ({ id, status, errorMessage }) =>
          `${scenario}: ${id}: ${status}: ${String(errorMessage).slice(0, 200)}`,
      );
  });

/** Runs what a revision requires. The summary has a line per scenario: `✓ ping: 1 passed, 0 failed`. */
async function run(url: string, revision: string) {
  const dir = mkdtempSync(join(tmpdir(), 'conformance-'));
  // A scenario that passes and is declared fails the run too, so that the list only shrinks; 2026-07-28 has none.
  const baseline = join(HERE, `conformance-${revision}.yaml`);
  const { code, output } = await suite(
    ...['server', '--url', url, '--requirements', revision, '--timeout', '30000', '-o', dir],
    ...(existsSync(baseline) ? ['--expected-failures', baseline] : []),
  );
  const faults = faultsIn(dir);
  rmSync(dir, { recursive: true, force: true });
  const scored = await required(revision);
  const summary = output.slice(output.indexOf('=== SUMMARY ==='));
  const marked = (mark: string) =>
    [...summary.matchAll(new RegExp(`^${mark} ([\\w-]+): `, 'gm'))]
      .map((match) => match[1]!)
      .filter((name) => scored.includes(name))
      .sort();
  return { code, required: scored.length, passed: marked('✓').length, failed: marked('✗'), summary, faults };
}

describe('official conformance suite, whole, against a zone with the test-only plane', () => {
  let zone: ZoneUnderTest;
  let proxy: Server;

  beforeAll(async () => {
    zone = await launchEmbedded({}, 'dist-conformance/main.mjs');
    const { root_url, bearer } = zone.connection();
    proxy = await bearerProxy(new URL(root_url), bearer);
  }, 120_000);
  afterAll(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await zone?.stop();
  }, 30_000);

  test.each([
    ['2026-07-28', 37, 37, []],
    [
      '2025-11-25',
      26,
      30,
      [
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
        'tools-call-elicitation',
        'tools-call-sampling',
      ],
    ],
  ])(
    '%s: %i of %i required scenarios pass, and none fails that is not declared',
    async (revision, passed, required, failed) => {
      const { port } = proxy.address() as AddressInfo;
      const { summary, faults, ...outcome } = await run(`http://127.0.0.1:${port}/v1/root/mcp`, revision);
      if (process.env['SHOW_CONFORMANCE'] === '1') console.log(summary);
      if (outcome.code !== 0) console.log(faults.join('\n'));
      expect(outcome).toEqual({ code: 0, required, passed, failed });
    },
    240_000,
  );

  test('what is deployed has none of it', () => {
    const bundles = readdirSync(join(REPO, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(apps|tools)\/.*\.mjs$/.test(file),
    );
    expect(bundles.length).toBeGreaterThan(8);
    const naming = bundles.filter((file) =>
      /test[._]simple_text|ConformancePlane/.test(readFileSync(join(REPO, 'dist', file), 'utf8')),
    );
    expect(naming).toEqual([]);
    expect(readFileSync(join(REPO, 'dist-conformance/main.mjs'), 'utf8')).toContain('ConformancePlane');
  });
});
