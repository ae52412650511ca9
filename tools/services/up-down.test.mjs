import { afterEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, findPostgresBin } from './binary.mjs';
import { PROBES } from './probe.mjs';
import { freePort, startTimeOf } from './process.mjs';

const with_servers =
  findBinary('nats-server') && findBinary('redis-server') && findPostgresBin() ? test : test.skip;

const cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs a command of this folder; answers its exit code and lines. */
async function run(command, names, env) {
  const child = spawn(process.execPath, [new URL(command, import.meta.url).pathname, ...names], {
    env: { PATH: process.env.PATH, ...env },
  });
  let text = '';
  child.stdout.on('data', (data) => (text += data));
  child.stderr.on('data', (data) => (text += data));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, text };
}

async function place() {
  const SERVICES_DIR = mkdtempSync(join(tmpdir(), 'services-up-'));
  chmodSync(SERVICES_DIR, 0o755);
  const ports = { nats: await freePort(), redis: await freePort(), postgres: await freePort() };
  const env = {
    SERVICES_DIR,
    NATS_URL: `nats://127.0.0.1:${ports.nats}`,
    REDIS_URL: `redis://127.0.0.1:${ports.redis}`,
    DATABASE_URL: `postgres://adaos:secret1@127.0.0.1:${ports.postgres}/adaos`,
  };
  cleanups.push(async () => {
    await run('down.mjs', [], env);
    rmSync(SERVICES_DIR, { recursive: true, force: true });
  });
  return { env, ports, dir: SERVICES_DIR };
}

with_servers('up starts what is missing, finds it the next time; down stops it', async () => {
  const { env, ports, dir } = await place();
  const first = await run('up.mjs', [], env);
  expect(first.text).toMatch(
    /^nats +started, pid \d+, data in .*\nredis +started, .*\npostgres +started, .*\nsettings /,
  );
  expect(first.code).toBe(0);
  for (const [name, port] of Object.entries(ports))
    expect(await PROBES[name]('127.0.0.1', port)).toBe('ready');

  const settings = join(dir, 'services.env');
  expect(statSync(settings).mode & 0o077).toBe(0);
  expect(readFileSync(settings, 'utf8')).toContain(`DATABASE_URL=${env.DATABASE_URL}\n`);
  const { default: postgres } = await import('postgres');
  const sql = postgres(env.DATABASE_URL, { max: 1 });
  expect([...(await sql`select current_user as name`)]).toEqual([{ name: 'adaos' }]);
  await sql.end();

  const second = await run('up.mjs', [], env);
  expect(second.text.match(/answering already at 127\.0\.0\.1:\d+/g)).toHaveLength(3);

  const down = await run('down.mjs', [], env);
  expect(down.text.match(/stopped, pid \d+/g)).toHaveLength(3);
  for (const [name, port] of Object.entries(ports))
    expect(await PROBES[name]('127.0.0.1', port)).toBe('absent');
});

with_servers('down leaves a process alone that only has the pid of one it started', async () => {
  const { env, dir } = await place();
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  cleanups.push(() => bystander.kill());
  const note = { kind: 'process', pid: bystander.pid, start_time: 'long ago', signal: 'SIGTERM' };
  writeFileSync(join(dir, 'nats.started.json'), JSON.stringify(note));
  expect((await run('down.mjs', ['nats'], env)).text).toBe('nats      had ended already\n');
  expect(startTimeOf(bystander.pid)).not.toBeNull();
});

test('a stranger on the port is named, and the settings say so by the exit code', async () => {
  const { env, ports } = await place();
  const stranger = createServer((socket) => socket.end('hello\n')).listen(ports.nats, '127.0.0.1');
  cleanups.push(() => stranger.close());
  const { code, text } = await run('up.mjs', ['nats'], env);
  expect(text).toContain('something else than NATS answers there; set NATS_URL to another server');
  expect(code).toBe(1);
});

test('an unknown name is refused', async () => {
  expect(await run('up.mjs', ['mysql'], {})).toEqual({
    code: 2,
    text: 'usage: node tools/services/up.mjs [nats] [redis] [postgres]\n',
  });
});
