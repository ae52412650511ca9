import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { idle } from './hub.fixture.js';
import { statOf } from './supervisor/process-identity.js';
import { until } from './until.fixture.js';
import { stringify } from 'yaml';

jest.setTimeout(60_000);
const here = fileURLToPath(new URL('.', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'cli-'));
const main = join(dir, 'main.mjs');
beforeAll(() => {
  const require =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const options = [
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--log-level=error',
    `--banner:js=${require}`,
    `--outfile=${main}`,
  ];
  execFileSync(resolve(here, '../../../node_modules/esbuild/bin/esbuild'), [
    join(here, 'main.ts'),
    ...options,
  ]);
});
afterAll(() => rmSync(dir, { recursive: true }));

const run = (args: string[], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    env,
    cwd: dir,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

test('check-config says that a file is right, or all that is wrong with it', () => {
  const file = join(dir, 'agent.yaml');
  writeFileSync(file, stringify({ hub_id: 'hub-1', services: [idle('web')] }));
  expect(run(['check-config', file])).toEqual({
    status: 0,
    stdout: `${file}: right, hub hub-1 with 1 services, 0 health checks, 0 log sources\n`,
    stderr: '',
  });
  writeFileSync(file, 'hub_id: hub-1\nservices:\n  - name: web\nnonsense: 1\n');
  expect(run(['check-config'], { AGENT_CONFIG: file })).toEqual({
    status: 2,
    stdout: '',
    stderr: `${file}:4: nonsense is not a setting\n${file}:3: services.0.argv is missing\n`,
  });
  expect(run(['check-config', '/no/such/file'])).toMatchObject({
    status: 2,
    stderr: 'AGENT_CONFIG: can not read /no/such/file\n',
  });
});

test('settings that are missing are told together; printed ones show no secret', () => {
  expect(run([], { LOG_LEVEL: 'loud' })).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/LOG_LEVEL must be one of .*\n.*ROOT_PUBLIC_KEY_FILE is missing/s),
  });
  const { stdout } = run(['run', '--print-config'], {
    ROOT_PUBLIC_KEY_FILE: 'k.pem',
    NATS_PASSWORD: 'zz-canary-91',
  });
  expect(JSON.parse(stdout)).toMatchObject({
    ROOT_PUBLIC_KEY_FILE: 'k.pem',
    NATS_PASSWORD: '[redacted]',
    AGENT_CONFIG: './agent.yaml',
  });
});

test('runs its services while the broker is away, keeps its environment from them, and ends with them', async () => {
  const key = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
  writeFileSync(join(dir, 'k.pem'), key);
  const script = `require('fs').writeFileSync('env.json', JSON.stringify({ env: process.env, pid: process.pid })); setInterval(() => {}, 1000)`;
  const web = idle('web', { argv: [process.execPath, '-e', script], env_allow: ['LANG'] });
  writeFileSync(join(dir, 'run.yaml'), stringify({ hub_id: 'hub-1', services: [web] }));
  const env = {
    AGENT_CONFIG: join(dir, 'run.yaml'),
    AGENT_DATA_DIR: join(dir, 'data'),
    ROOT_PUBLIC_KEY_FILE: join(dir, 'k.pem'),
    // A closed port: nobody answers there.
    NATS_URL: 'nats://127.0.0.1:1',
    NATS_PASSWORD: 'zz-canary-91',
    CANARY_SECRET: 'zz-canary-91',
    LANG: 'C',
  };
  const child = spawn(process.execPath, [main], { env, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const seen = await until(() => {
    try {
      return JSON.parse(readFileSync(join(dir, 'env.json'), 'utf8')) as { env: object; pid: number };
    } catch {
      return null;
    }
  }, 30_000);
  expect(seen.env).toEqual({ LANG: 'C', ADAOS_AGENT_RUN: expect.stringMatching(/^[0-9a-f]{32}$/) });
  await until(() => log.includes('broker can not be reached'), 30_000);
  child.kill('SIGTERM');
  await until(() => child.exitCode !== null, 30_000);
  expect(child.exitCode).toBe(0);
  expect([null, 'Z']).toContain(statOf(seen.pid)?.state ?? null);
  expect(log).not.toContain('canary');
});
