import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { silentLog, systemClock } from '@adaos/runtime';
import type { ServiceConfig } from '../agent-config.js';
import { isReady } from '../probes/ready-probe.js';
import { until } from '../until.fixture.js';
import { groupMembers, statOf } from './process-identity.js';
import { serviceLogPath, Supervisor } from './supervisor.js';

jest.setTimeout(30_000);
const running: Supervisor[] = [];
const dirs: string[] = [];
afterEach(async () => {
  for (const supervisor of running.splice(0)) await supervisor.stop();
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

const node = (script: string) => [process.execPath, '-e', script];
const IDLE = 'setInterval(() => {}, 1000);';

async function start(service: Partial<ServiceConfig> & { argv: string[] }) {
  const data_dir = mkdtempSync(join(tmpdir(), 'sup-'));
  dirs.push(data_dir);
  const config: ServiceConfig = {
    name: 'web',
    cwd: data_dir,
    restart: { max_restarts: 3, backoff_ms: 10 },
    observe_ms: 100,
    stop_timeout_ms: 2_000,
    ...service,
  };
  const limits = { max_concurrency: 4, max_output_bytes: 65_536, log_file_bytes: 8_192 };
  const supervisor = new Supervisor({
    config: { services: [config], limits },
    data_dir,
    clock: systemClock,
    log: silentLog,
    isReady,
  });
  running.push(supervisor);
  const states: string[] = [];
  supervisor.onChange(() => {
    const { state } = supervisor.views()[0]!;
    if (states.at(-1) !== state) states.push(state);
  });
  await supervisor.start();
  const view = () => supervisor.views()[0]!;
  return {
    supervisor,
    view,
    states,
    data_dir,
    output: () => readFileSync(serviceLogPath(data_dir, 'web'), 'utf8'),
  };
}

describe('a service that runs', () => {
  test('is a group of its own with exactly its environment and directory (field case F34)', async () => {
    process.env['CANARY_SECRET'] = 'zz-canary-91';
    const script = `console.log(JSON.stringify({ env: process.env, cwd: process.cwd() })); ${IDLE}`;
    const { view, output, data_dir } = await start({ argv: node(script), env: { PORT: '8080' } });
    const printed = JSON.parse(await until(() => /^.*(?=\n)/.exec(output())?.[0])) as {
      env: object;
      cwd: string;
    };
    delete process.env['CANARY_SECRET'];
    const owner = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(printed).toEqual({ env: { PORT: '8080', ADAOS_AGENT_RUN: owner }, cwd: data_dir });
    expect(view()).toMatchObject({ name: 'web', state: 'running', restarts: 0, last_exit: null });
    expect(statOf(view().pid!)).toMatchObject({ pgid: view().pid, sid: view().pid });
  });

  test('is starting until its ready check passes', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const script = `const timer = setInterval(() => require('fs').existsSync('go') && (clearInterval(timer), require('net').createServer().listen(${port}, '127.0.0.1')), 20);`;
    const { view, data_dir } = await start({
      argv: node(script),
      ready: { tcp: { host: 'localhost', port } },
    });
    await until(() => view().pid);
    expect(view().state).toBe('starting');
    writeFileSync(join(data_dir, 'go'), '');
    await until(() => view().state === 'running');
  });
});

describe('a service that ends', () => {
  test('is started again, and after too many times in a row it is a crash loop', async () => {
    const { view, states, supervisor } = await start({ argv: node('process.exit(3)') });
    await until(() => view().state === 'crash_loop');
    expect(view()).toMatchObject({
      pid: null,
      restarts: 3,
      started_at: null,
      last_exit: { code: 3, signal: null },
    });
    expect(states.filter((state) => state === 'running')).toHaveLength(4);
    // A start by hand forgives the row.
    await supervisor.find('web')!.start();
    await until(() => view().restarts === 6 && view().state === 'crash_loop');
  });

  test('tells the signal that killed it', async () => {
    const { view } = await start({ argv: node(IDLE) });
    const { pid } = view();
    process.kill(pid!, 'SIGKILL');
    await until(() => view().restarts === 1 && view().state === 'running');
    expect(view().pid).not.toBe(pid);
    expect(view().last_exit).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  test('takes the children it left behind with it', async () => {
    const script = `const c = require('child_process').spawn('/bin/sleep', ['300'], { stdio: 'inherit' }); console.log(c.pid); setTimeout(() => process.exit(1), 30);`;
    const { view, output } = await start({
      argv: node(script),
      restart: { max_restarts: 0, backoff_ms: 10 },
    });
    await until(() => view().state === 'crash_loop');
    const child = Number(await until(() => /^\d+(?=\n)/.exec(output())?.[0]));
    await until(() => [null, 'Z'].includes(statOf(child)?.state ?? null));
  });

  test('a missing program is told as such and stops nothing else', async () => {
    const { view, supervisor } = await start({
      argv: ['/no/such/program'],
      restart: { max_restarts: 1, backoff_ms: 10 },
    });
    await until(() => view().state === 'crash_loop');
    expect(await supervisor.find('web')!.start()).toBe('not_found');
    expect(view()).toMatchObject({ pid: null, last_exit: { code: null, signal: null } });
  });
});

describe('stopping', () => {
  test('SIGTERM is enough for who listens; nothing restarts', async () => {
    const { supervisor, view } = await start({
      argv: node(`process.on('SIGTERM', () => process.exit(0)); console.log('up'); ${IDLE}`),
    });
    await until(() => view().state === 'running');
    await supervisor.find('web')!.stop();
    expect(view()).toMatchObject({ state: 'stopped', pid: null, restarts: 0 });
  });

  test('who ignores SIGTERM is killed with the whole group, within the bound (field case F33)', async () => {
    const inner = `process.on('SIGTERM', () => {}); console.log('in'); ${IDLE}`;
    const script = `process.on('SIGTERM', () => {}); require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' }); console.log('out'); ${IDLE}`;
    const { supervisor, view, output } = await start({ argv: node(script), stop_timeout_ms: 100 });
    await until(() => output().includes('in') && output().includes('out'));
    const { pid } = view();
    expect(groupMembers(pid!)).toHaveLength(2);
    const began = performance.now();
    await supervisor.stop();
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(groupMembers(pid!)).toEqual([]);
    expect(view().state).toBe('stopped');
  });

  test('a stopped agent starts nothing any more', async () => {
    const { supervisor } = await start({ argv: node(IDLE) });
    await supervisor.stop();
    await expect(supervisor.find('web')!.start()).rejects.toMatchObject({
      code: 'adapter_failed',
      details: { reason: 'agent_stopping' },
    });
  });
});

test('output is kept in two files of bounded size, whole lines of both streams', async () => {
  const script = `for (let i = 0; i < 2000; i++) { process.stdout.write('o'.repeat(40)); process.stderr.write('E'.repeat(20) + '\\n'); process.stdout.write('o\\n'); } ${IDLE}`;
  const { output, data_dir } = await start({ argv: node(script) });
  await until(() => output().length > 0);
  const older = join(data_dir, 'logs', 'web.log.1');
  await until(() => {
    try {
      return readFileSync(older, 'utf8').length > 4_000;
    } catch {
      return false;
    }
  });
  for (const text of [output(), readFileSync(older, 'utf8')]) {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_192);
    // A rotation may cut inside a batch of lines larger than the file; inside one stream lines stay whole.
    expect(
      text
        .split('\n')
        .slice(1, -1)
        .filter((line) => !/^(o{41}|E{20})$/.test(line)),
    ).toEqual([]);
  }
});
