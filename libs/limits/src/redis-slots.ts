import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * One script for a slot's whole life, so that no two steps of it interleave. A holder is a member of a sorted set whose score is when it
 * expires, by the clock of Redis: replicas' clocks differ. A renewal adds a holder that Redis has lost, because its work does go on.
 * The key lives as long as its last holder.
 */
const SLOT_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local step, holder, max, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if step == 'release' then
  return {redis.call('ZREM', KEYS[1], holder), redis.call('ZCARD', KEYS[1])}
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local used = redis.call('ZCARD', KEYS[1])
if step == 'acquire' and used >= max then
  return {0, used}
end
redis.call('ZADD', KEYS[1], now + ttl, holder)
if redis.call('PTTL', KEYS[1]) < ttl then
  redis.call('PEXPIRE', KEYS[1], ttl)
end
return {1, redis.call('ZCARD', KEYS[1])}
`;

type SlotCommand = (
  key: string,
  step: string,
  holder: string,
  max: number,
  ttl_ms: number,
) => Promise<[number, number]>;

export interface RedisSlots {
  /** @throws what Redis throws; the slot is then owed back (see `settle`). */
  acquire(key: string, max: number, ttl_ms: number): Promise<{ holder: string | null; in_use: number }>;
  /** Never throws: what can't be given back now is owed. */
  renew(key: string, holder: string, ttl_ms: number): Promise<void>;
  release(key: string, holder: string): Promise<void>;
  /** Gives back what is owed. Called when Redis answers again. */
  settle(): Promise<void>;
}

/** More than this is left to expire by its ttl. */
const MAX_OWED = 10_000;

/** Slots in Redis. ioredis sends the script by its hash and loads it again when Redis has forgotten it, and only then. */
export function redisSlots(redis: Redis): RedisSlots {
  redis.defineCommand('adaosSlot', { numberOfKeys: 1, lua: SLOT_SCRIPT });
  const slot = (redis as unknown as { adaosSlot: SlotCommand }).adaosSlot.bind(redis);
  const owed = new Map<string, string>();
  const owe = (key: string, holder: string) => {
    if (owed.size < MAX_OWED) owed.set(holder, key);
  };

  return {
    async acquire(key, max, ttl_ms) {
      const holder = randomUUID();
      try {
        const [allowed, in_use] = await slot(key, 'acquire', holder, max, ttl_ms);
        return { holder: allowed === 1 ? holder : null, in_use };
      } catch (error) {
        // Its answer was lost: Redis may count a holder that nobody is.
        owe(key, holder);
        throw error;
      }
    },
    async renew(key, holder, ttl_ms) {
      await slot(key, 'renew', holder, 0, ttl_ms).catch(() => {});
    },
    async release(key, holder) {
      await slot(key, 'release', holder, 0, 0).catch(() => owe(key, holder));
    },
    async settle() {
      for (const [holder, key] of owed) {
        try {
          await slot(key, 'release', holder, 0, 0);
          owed.delete(holder);
        } catch {
          return;
        }
      }
    },
  };
}
