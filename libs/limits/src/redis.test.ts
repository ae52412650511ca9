import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { randomBytes } from 'node:crypto';
import { limitsSuite, until, type LimitsBench } from './limits.suite.js';
import type { Limits } from './port.js';
import { faultyLine, type FaultyLine } from './proxy.suite.js';
import { connectRedisLimits } from './redis.js';

const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379';
const reachable = await answers();
const target = { host: new URL(url).hostname, port: Number(new URL(url).port || 6379) };
const LATE_MS = 300;
/** What calls may take that must not wait: far below the timeout of two seconds, far above a busy machine's hiccups. */
const AT_ONCE_MS = 500;

async function answers(): Promise<boolean> {
  const probe = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 });
  probe.on('error', () => {});
  const answer = await probe.connect().then(
    () => true,
    () => false,
  );
  probe.disconnect();
  return answer;
}

const bench = async (): Promise<LimitsBench & { prefix: string; admin: Redis }> => {
  const prefix = `test-${randomBytes(6).toString('hex')}:`;
  const admin = new Redis(url);
  return {
    prefix,
    admin,
    open: () => connectRedisLimits({ url, prefix, command_timeout_ms: 2_000 }),
    async close() {
      const keys = await admin.keys(`${prefix}*`);
      if (keys.length > 0) await admin.del(...keys);
      admin.disconnect();
    },
  };
};

const rate = { points: 10, duration_s: 60 };
const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
  const begun = performance.now();
  return [await work, performance.now() - begun];
};
const allowedOf = async (limits: Limits, key: string, count: number) => {
  const taken = [];
  for (let i = 0; i < count; i++) taken.push(await limits.take(key, rate));
  return taken.filter(({ allowed }) => allowed).length;
};

if (reachable) limitsSuite('Redis', bench);

test('a URL that is none of Redis is refused', async () => {
  for (const bad of ['', 'localhost:6379', 'http://localhost:6379', 'redis://']) {
    await expect(connectRedisLimits({ url: bad, prefix: '' })).rejects.toThrow(
      'REDIS_URL is not a Redis URL',
    );
  }
});

test('no Redis at all: starts, allows a lower cap, says so, waits for nothing', async () => {
  const line = await faultyLine(target);
  await line.cut();
  const [limits, start_ms] = await timed(
    connectRedisLimits({
      url: `redis://127.0.0.1:${line.port}`,
      prefix: 'x:',
      fallback_share: 0.3,
      command_timeout_ms: 2_000,
    }),
  );
  expect(start_ms).toBeLessThan(1_000);
  const [taken, took_ms] = await timed(Promise.all(Array.from({ length: 20 }, () => limits.take('k', rate))));
  expect(took_ms).toBeLessThan(AT_ONCE_MS);
  expect(taken.filter(({ allowed }) => allowed)).toHaveLength(3);
  expect(taken.every(({ degraded }) => degraded)).toBe(true);
  const slots = await Promise.all(Array.from({ length: 5 }, () => limits.acquire('s', 2, 1_000)));
  expect(slots.map(({ allowed, degraded }) => [allowed, degraded])).toEqual([
    [true, true],
    ...Array(4).fill([false, true]),
  ]);
  await slots[0]?.release();
  expect((await limits.acquire('s', 2, 1_000)).allowed).toBe(true);
  await limits.close();
});

(reachable ? describe : describe.skip)('a faulty line to Redis', () => {
  const open: (Limits | FaultyLine | LimitsBench)[] = [];
  const over = async (command_timeout_ms: number) => {
    const shared = await bench();
    const line = await faultyLine(target);
    const far_url = Object.assign(new URL(url), { host: `127.0.0.1:${line.port}` }).href;
    const limits = await connectRedisLimits({ url: far_url, prefix: shared.prefix, command_timeout_ms });
    open.push(limits, line, shared);
    return { ...shared, limits, line };
  };
  const track = (limits: Limits) => {
    open.push(limits);
    return limits;
  };
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  test('cut: degraded and bounded at once; restored: shared again without a restart', async () => {
    const { limits, line } = await over(2_000);
    expect(await limits.take('k', rate)).toMatchObject({ allowed: true, remaining: 9, degraded: false });
    await line.cut();
    await until(async () => (await limits.take('cut', rate)).degraded);
    const [allowed, took_ms] = await timed(allowedOf(limits, 'other', 50));
    expect(allowed).toBe(5);
    expect(took_ms).toBeLessThan(AT_ONCE_MS);
    await line.restore();
    await until(async () => !(await limits.take('restored', rate)).degraded);
    expect(await limits.take('k', rate)).toMatchObject({ allowed: true, remaining: 8, degraded: false });
  }, 15_000);

  test('stalled: one timeout is paid, then none; a new connection finds the way back', async () => {
    const { limits, line } = await over(LATE_MS);
    line.stall();
    const [first, first_ms] = await timed(limits.take('k', rate));
    expect(first).toMatchObject({ allowed: true, remaining: 4, degraded: true });
    expect(first_ms).toBeGreaterThanOrEqual(LATE_MS - 5);
    expect(first_ms).toBeLessThan(LATE_MS * 4);
    const [allowed, rest_ms] = await timed(allowedOf(limits, 'k', 50));
    expect(allowed).toBe(4);
    expect(rest_ms).toBeLessThan(LATE_MS);
    await line.restore();
    await until(async () => !(await limits.take('k2', rate)).degraded);
    expect(line.accepted()).toBeGreaterThan(1);
  }, 15_000);

  test('slots held before the cut count in the degraded cap, and are given back when the line is', async () => {
    const { limits, line, prefix, admin } = await over(2_000);
    const held = await limits.acquire('s', 2, 60_000);
    expect(held).toMatchObject({ allowed: true, in_use: 1, degraded: false });
    await line.cut();
    await until(async () => (await limits.take('cut', rate)).degraded);
    expect(await limits.acquire('s', 2, 60_000)).toMatchObject({ allowed: false, in_use: 1, degraded: true });
    await held.release();
    expect(await limits.acquire('s', 2, 60_000)).toMatchObject({ allowed: true, in_use: 1, degraded: true });
    expect(await admin.zcard(`${prefix}slot:s`)).toBe(1);
    await line.restore();
    await until(async () => (await admin.zcard(`${prefix}slot:s`)) === 0);
  }, 15_000);

  test('an acquire whose answer was lost leaves no holder behind', async () => {
    const { limits, line, prefix, admin } = await over(LATE_MS);
    const other = track(await connectRedisLimits({ url, prefix, command_timeout_ms: 2_000 }));
    line.stall('answers');
    const slot = await limits.acquire('s', 4, 60_000);
    expect(slot).toMatchObject({ allowed: true, degraded: true });
    await until(async () => (await admin.zcard(`${prefix}slot:s`)) === 1);
    await line.restore();
    await until(async () => !(await limits.take('k', rate)).degraded);
    await until(async () => (await admin.zcard(`${prefix}slot:s`)) === 0);
    expect(await other.acquire('s', 1, 60_000)).toMatchObject({ allowed: true, in_use: 1 });
    expect(line.accepted()).toBeGreaterThan(1);
  }, 15_000);

  test('a holder that died frees its slot after the ttl, not before', async () => {
    const { limits, line, prefix } = await over(2_000);
    const rival = track(await connectRedisLimits({ url, prefix, command_timeout_ms: 2_000 }));
    const ttl_ms = 400;
    // A longer holder beside it keeps the set alive: the dead one has to go by itself.
    await rival.acquire('s', 2, 60_000);
    const begun = performance.now();
    expect((await limits.acquire('s', 2, ttl_ms)).allowed).toBe(true);
    await line.cut();
    let refusals = 0;
    await until(async () => {
      const { allowed } = await rival.acquire('s', 2, ttl_ms);
      if (!allowed) refusals += 1;
      return allowed;
    });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(ttl_ms - 10);
    expect(refusals).toBeGreaterThan(0);
  }, 15_000);

  test('a Redis that has forgotten its scripts is taught them again', async () => {
    const { limits, admin } = await over(2_000);
    expect(await limits.take('k', rate)).toMatchObject({ remaining: 9, degraded: false });
    const slot = await limits.acquire('s', 2, 60_000);
    await admin.script('FLUSH');
    expect(await limits.take('k', rate)).toMatchObject({ remaining: 8, degraded: false });
    await admin.script('FLUSH');
    expect(await limits.acquire('s', 2, 60_000)).toMatchObject({ allowed: true, in_use: 2, degraded: false });
    await admin.script('FLUSH');
    await slot.release();
    expect(await limits.acquire('s', 2, 60_000)).toMatchObject({ allowed: true, in_use: 2, degraded: false });
  });

  test('a Redis that refuses the command counts as away; a lost set is renewed by its living holder', async () => {
    const { limits, prefix, admin } = await over(2_000);
    await admin.set(`${prefix}slot:odd`, 'not a set');
    expect(await limits.acquire('odd', 4, 60_000)).toMatchObject({
      allowed: true,
      in_use: 1,
      degraded: true,
    });
    await until(async () => !(await limits.take('k', rate)).degraded);
    await limits.acquire('s', 1, 60);
    await admin.del(`${prefix}slot:s`);
    await until(async () => (await admin.zcard(`${prefix}slot:s`)) === 1);
  }, 15_000);

  test('close gives back what is held, and nothing expires late', async () => {
    const { limits, prefix, admin } = await over(2_000);
    await limits.acquire('s', 3, 60_000);
    await limits.acquire('s', 3, 30_000);
    const lives_ms = await admin.pttl(`${prefix}slot:s`);
    expect(lives_ms).toBeGreaterThan(50_000);
    expect(lives_ms).toBeLessThanOrEqual(60_000);
    await limits.close();
    expect(await admin.zcard(`${prefix}slot:s`)).toBe(0);
    expect(await limits.take('k', rate)).toMatchObject({ allowed: true, degraded: true });
  });
});
