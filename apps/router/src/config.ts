import { pub, secret } from '@adaos/contracts';
import { StoreSettings } from '@adaos/runtime';
import { Type, type Static } from 'typebox';
import { POLICY_DOWN_READS } from './decisions.js';

/** Settings of the router service, read once from the environment. */
export const Config = Type.Object({
  ...StoreSettings,
  REDIS_URL: secret(
    Type.String({
      description: 'Redis for shared limits, redis://host:port.',
      default: 'redis://127.0.0.1:6379',
    }),
  ),
  REDIS_PREFIX: pub(
    Type.String({
      description: 'Put before every key.',
      pattern: '^[A-Za-z0-9:_-]{1,32}$',
      default: 'adaos:',
    }),
  ),
  ACTOR_CALLS_PER_MINUTE: pub(
    Type.Integer({
      description: 'Calls of one actor in a minute, all tools together.',
      minimum: 1,
      maximum: 10_000_000,
      default: 12_000,
    }),
  ),
  ZONE_CALLS_PER_MINUTE: pub(
    Type.Integer({
      description: 'Calls of the whole zone in a minute.',
      minimum: 1,
      maximum: 100_000_000,
      default: 600_000,
    }),
  ),
  ZONE_CALLS_AT_ONCE: pub(
    Type.Integer({
      description: 'Calls on hubs at once, in the whole zone.',
      minimum: 1,
      maximum: 1_000_000,
      default: 1_000,
    }),
  ),
  REFUSALS_RECORDED_PER_MINUTE: pub(
    Type.Integer({
      description:
        'Refusals of one address or credential that have an event of their own; more are counted, and ten times as many are not heard.',
      minimum: 1,
      maximum: 100_000,
      default: 120,
    }),
  ),
  POLICY_DOWN_READS: pub(
    Type.String({
      description:
        'While policy is away: deny everything, or let reads of root’s own descriptions go on that it allowed within five minutes before.',
      enum: [...POLICY_DOWN_READS],
      default: 'deny',
    }),
  ),
  HEARTBEAT_MS: pub(
    Type.Integer({
      description: 'Milliseconds between heartbeats of a hub.',
      minimum: 200,
      maximum: 300_000,
      default: 15_000,
    }),
  ),
});
export type Config = Static<typeof Config>;

/** Zones may share a Redis as they may share a database; what one counts is none of another's. No zone's name has a colon. */
export const keyPrefix = (config: Pick<Config, 'REDIS_PREFIX'>, zone: string): string =>
  `${config.REDIS_PREFIX}${zone}:`;

/** The settings as the module takes them. */
export const limitsIn = (config: Readonly<Config>) => ({
  heartbeat_ms: config.HEARTBEAT_MS,
  ceilings: {
    actor_calls_per_minute: config.ACTOR_CALLS_PER_MINUTE,
    zone_calls_per_minute: config.ZONE_CALLS_PER_MINUTE,
    zone_calls_at_once: config.ZONE_CALLS_AT_ONCE,
  },
  refusals_recorded: config.REFUSALS_RECORDED_PER_MINUTE,
  policy_down_reads: config.POLICY_DOWN_READS as (typeof POLICY_DOWN_READS)[number],
});
