import { pub, secret } from '@adaos/contracts';
import { StoreSettings } from '@adaos/runtime';
import { Type } from 'typebox';

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
  HEARTBEAT_MS: pub(
    Type.Integer({
      description: 'Milliseconds between heartbeats of a hub.',
      minimum: 200,
      maximum: 300_000,
      default: 15_000,
    }),
  ),
});
