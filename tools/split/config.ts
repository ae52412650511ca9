import { PROFILES, pub, secret } from '@adaos/contracts';
import { Type, type Static } from 'typebox';
import { IdentitySettings } from '../../apps/session/src/admissions/settings.js';

/** Settings of the split launcher, read once from the environment. */
export const Config = Type.Object({
  ZONE: pub(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,62}$', default: 'local' })),
  ZONE_PORT: pub(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: 7717,
      description: 'Port of the first facade, the others take the next ones; 0: any free ones.',
    }),
  ),
  ZONE_DATA_DIR: pub(Type.String({ minLength: 1, default: '.zone/split' })),
  ZONE_PROFILE: pub(Type.String({ enum: Object.keys(PROFILES), default: 'InfraOpsControl' })),
  LOG_LEVEL: pub(Type.String({ enum: ['silent', 'error', 'warn', 'info', 'debug'], default: 'warn' })),
  HEARTBEAT_MS: pub(Type.Integer({ minimum: 200, maximum: 300_000, default: 5_000 })),
  /** Replicas of router, session, policy, descriptor and audit each. */
  REPLICAS: pub(Type.Integer({ minimum: 1, maximum: 8, default: 2 })),
  FACADES: pub(
    Type.Integer({
      minimum: 1,
      maximum: 8,
      default: 2,
      description: 'Facades, each on a port of its own; any of them serves any request.',
    }),
  ),
  /** Policy files of the zone itself. */
  ZONE_POLICY_DIR: Type.Optional(pub(Type.String({ minLength: 1 }))),
  POLICY_DOWN_READS: pub(Type.String({ enum: ['deny', 'allow_decided'], default: 'deny' })),
  DATABASE_URL: Type.Optional(secret(Type.String({ minLength: 1 }))),
  DATABASE_SCHEMA: pub(Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$', default: 'adaos' })),
  NATS_URL: pub(Type.String({ minLength: 1, default: 'nats://127.0.0.1:4222' })),
  /** JSON file { user: password } for a broker with accounts; absent on an open one. */
  NATS_PASSWORDS_FILE: Type.Optional(pub(Type.String({ minLength: 1 }))),
  SUBJECT_PREFIX: Type.Optional(pub(Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' }))),
  REDIS_URL: secret(Type.String({ minLength: 1, default: 'redis://127.0.0.1:6379' })),
  REDIS_PREFIX: pub(Type.String({ pattern: '^[A-Za-z0-9:_-]{1,32}$', default: 'adaos:' })),
  /** For session. */
  ...IdentitySettings,
});
export type Config = Static<typeof Config>;
