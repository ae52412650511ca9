import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createCircuit } from './circuit.js';
import { createMemoryLimits, rateName, takenOf, wholeSeconds } from './memory.js';
import type { Limits, Rate, Slot, Taken } from './port.js';
import { redisSlots } from './redis-slots.js';
import { slotLedger } from './slots.js';

export interface RedisLimitsOptions {
  /** `redis://user:password@host:6379/0`, `rediss://` for TLS. */
  url: string;
  /** Before every key. */
  prefix: string;
  /** The part of each limit that one replica allows while Redis is away, at least 1 of it. */
  fallback_share?: number;
  /** A command without an answer for this long has failed. */
  command_timeout_ms?: number;
}

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_MS = 2_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Limits that all replicas share. While Redis is away (closed, stalled, read-only, out of memory) each replica counts alone under a lower cap and says
 * `degraded`; a call then waits once for `command_timeout_ms` at most, and later ones not at all. Shared counting comes back by itself.
 * Answers once Redis is ready, or after its first failure: a zone starts without it.
 * @throws Error when the URL is none of Redis.
 */
export async function connectRedisLimits(options: RedisLimitsOptions): Promise<Limits> {
  const { url, prefix, fallback_share = 0.5, command_timeout_ms = 250 } = options;
  if (!/^rediss?:\/\/[^/]/.test(url))
    throw new Error('REDIS_URL is not a Redis URL: write redis://host:6379.');
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: command_timeout_ms,
    // A command belongs to its call: none is kept for later or sent again, which would count twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) =>
      Math.min(50 * 2 ** Math.min(attempt, 10), MAX_RECONNECT_MS) * (0.5 + Math.random() / 2),
    // After a failover the old connection may lead to a replica.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  // Each failure reaches the call that met it; without a listener ioredis prints them.
  redis.on('error', () => {});

  const ledger = slotLedger();
  const alone = createMemoryLimits({ share: fallback_share, degraded: true, ledger });
  const slots = redisSlots(redis);
  const held = new Set<() => Promise<void>>();
  const limiters = new Map<string, RateLimiterRedis>();
  const circuit = createCircuit({
    now: () => performance.now(),
    onFailure: (error) => {
      // A stalled connection stays open for minutes; a new one finds out whether only that one was lost.
      if (isTimeout(error) && redis.status === 'ready') redis.disconnect(true);
    },
  });
  redis.on('ready', () => {
    circuit.reset();
    void slots.settle();
  });
  await firstAnswer(redis);

  const limiterOf = (rate: Rate) => {
    const name = rateName(rate);
    let limiter = limiters.get(name);
    if (!limiter) {
      limiter = new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: `${prefix}rate:${name}`,
        points: rate.points,
        duration: wholeSeconds(rate),
      });
      limiters.set(name, limiter);
    }
    return limiter;
  };
  /** Null when Redis did not do it, and then at once if it is known to be away. */
  const shared = async <T>(work: () => Promise<T>): Promise<T | null> =>
    redis.status === 'ready' ? circuit.run(work) : null;

  return {
    async take(key, rate): Promise<Taken> {
      const taken = await shared(() => takenOf(limiterOf(rate).consume(key), false));
      return taken ?? alone.take(key, rate);
    },

    async acquire(key, max, ttl_ms): Promise<Slot> {
      const slot_key = `${prefix}slot:${key}`;
      const got = await shared(() => slots.acquire(slot_key, max, Math.ceil(ttl_ms)));
      if (!got) return alone.acquire(key, max, ttl_ms);
      const { holder, in_use } = got;
      if (holder === null) return { allowed: false, in_use, degraded: false, release: async () => {} };
      // Counted here as well: if Redis goes away now, this replica still knows of its own holders.
      const forget = ledger.hold(key);
      let renewing: Promise<void> = Promise.resolve();
      const every_ms = Math.min(Math.max(Math.floor(ttl_ms / 3), 10), MAX_TIMER_MS);
      const timer = setInterval(() => {
        if (redis.status === 'ready') renewing = slots.renew(slot_key, holder, Math.ceil(ttl_ms));
      }, every_ms).unref();
      const release = async () => {
        if (!held.delete(release)) return;
        clearInterval(timer);
        forget();
        // A renewal on its way would bring the holder back.
        await renewing;
        await slots.release(slot_key, holder);
      };
      held.add(release);
      return { allowed: true, in_use, degraded: false, release };
    },

    async close() {
      await Promise.all([...held].map((release) => release()));
      redis.disconnect();
      limiters.clear();
      await alone.close();
    },
  };
}

const isTimeout = (error: unknown) => error instanceof Error && error.message === 'Command timed out';

async function firstAnswer(redis: Redis): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => (timer = setTimeout(done, CONNECT_TIMEOUT_MS)));
  await Promise.race([redis.connect().catch(() => {}), late]);
  clearTimeout(timer);
}
