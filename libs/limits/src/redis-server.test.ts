import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { until } from './limits.suite.js';
import { faultyLine } from './proxy.suite.js';
import { connectRedisLimits } from './redis.js';

const has_server = spawnSync('redis-server', ['--version']).status === 0;
if (process.env['REQUIRE_REDIS'] === '1' && !has_server) throw new Error('redis-server is not on the PATH');

/** A Redis of our own, so that it can be stopped, killed and emptied. */
async function privateRedis() {
  const dir = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await new Promise<number>((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => done(free));
    });
  });
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const up = async () => {
    const args = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      dir,
    ];
    child = spawn('redis-server', args, { stdio: 'ignore' });
    const admin = new Redis(url, { lazyConnect: true, retryStrategy: () => 20, maxRetriesPerRequest: 200 });
    admin.on('error', () => undefined);
    await admin.ping();
    admin.disconnect();
  };
  await up();
  return {
    url,
    port,
    up,
    signal: (name: NodeJS.Signals) => void child?.kill(name),
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await gone;
    },
    async close() {
      await this.kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

(has_server ? describe : describe.skip)('field case F31, on a Redis of its own', () => {
  let redis: Awaited<ReturnType<typeof privateRedis>>;
  let admin: Redis;
  beforeAll(async () => {
    redis = await privateRedis();
    admin = new Redis(redis.url);
    admin.on('error', () => undefined);
  }, 30_000);
  afterAll(async () => {
    admin.disconnect();
    await redis.close();
  });
  const open = (url = redis.url, more: object = {}) => connectRedisLimits({ url, prefix: 'f31:', ...more });
  const rate = { points: 10, duration_s: 60 };

  test('SCRIPT FLUSH between calls: the script is loaded again, each call counts once', async () => {
    const limits = await open();
    for (let n = 9; n >= 5; n--) {
      expect(await limits.take('flush', rate)).toMatchObject({
        allowed: true,
        remaining: n,
        degraded: false,
      });
      await admin.script('FLUSH');
    }
    await limits.close();
  });

  test('FLUSHALL: a fresh window, no error; slots that are held are counted again by their holders', async () => {
    const limits = await open();
    const rival = await open();
    for (let i = 0; i < 10; i++) await limits.take('all', rate);
    expect((await limits.take('all', rate)).allowed).toBe(false);
    const held = await limits.acquire('all', 1, 300);
    await admin.flushall();
    expect(await limits.take('all', rate)).toMatchObject({ allowed: true, remaining: 9, degraded: false });
    await until(async () => (await admin.zcard('f31:slot:all')) === 1);
    expect((await rival.acquire('all', 1, 300)).allowed).toBe(false);
    await held.release();
    expect((await rival.acquire('all', 1, 300)).allowed).toBe(true);
    await limits.close();
    await rival.close();
  });

  test.each([
    ['stopped in its tracks for 5 s', 'SIGSTOP'],
    ['killed, and up again after 5 s', 'SIGKILL'],
  ] as const)(
    '%s: a lower limit all the time, never none, never an error, no call waits long; shared again by itself',
    async (_, how) => {
      const limits = await open();
      await limits.take('before', rate);
      if (how === 'SIGKILL') await redis.kill();
      else redis.signal('SIGSTOP');
      const away_since = performance.now();
      let allowed = 0;
      let slowest = 0;
      while (performance.now() - away_since < 5_000) {
        const began = performance.now();
        const taken = await limits.take(`during-${how}`, rate);
        slowest = Math.max(slowest, performance.now() - began);
        expect(taken.degraded).toBe(true);
        if (taken.allowed) allowed++;
        await new Promise((next) => setTimeout(next, 5));
      }
      expect(allowed).toBe(5);
      expect(slowest).toBeLessThan(1_000);
      if (how === 'SIGKILL') await redis.up();
      else redis.signal('SIGCONT');
      await until(async () => !(await limits.take(`after-${how}`, rate)).degraded);
      await limits.close();
    },
    30_000,
  );

  test('a timeout after the commit: counted once, not sent again', async () => {
    const line = await faultyLine({ host: '127.0.0.1', port: redis.port });
    const limits = await open(`redis://127.0.0.1:${line.port}`, { command_timeout_ms: 60 });
    expect(await limits.take('late', rate)).toMatchObject({ remaining: 9, degraded: false });
    line.stall('answers');
    expect(await limits.take('late', rate)).toMatchObject({ allowed: true, degraded: true });
    await line.restore();
    await until(async () => !(await limits.take('other', rate)).degraded);
    expect(await limits.take('late', rate)).toMatchObject({ remaining: 7, degraded: false });
    await limits.close();
    await line.close();
  }, 15_000);
});
