import { PROFILES, pub, secret } from '@adaos/contracts';
import { IdentitySettings } from '@adaos/session/module';
import { Type, type Static } from 'typebox';

/** Settings of the zone in one process, read once from the environment. */
export const Config = Type.Object({
  ZONE: pub(
    Type.String({ description: 'Name of the zone.', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', default: 'local' }),
  ),
  ZONE_PORT: pub(
    Type.Integer({
      description: 'Port of the facade, 0: any free one.',
      minimum: 0,
      maximum: 65_535,
      default: 7717,
    }),
  ),
  ZONE_HOST: pub(
    Type.String({ description: 'Address the facade listens on.', minLength: 1, default: '127.0.0.1' }),
  ),
  ZONE_DATA_DIR: pub(
    Type.String({
      description: 'Where database, keys and the demo hub live.',
      minLength: 1,
      default: '.zone',
    }),
  ),
  ZONE_PROFILE: pub(
    Type.String({
      description: 'Capability profile of the printed lease.',
      enum: Object.keys(PROFILES),
      default: 'InfraOpsControl',
    }),
  ),
  ZONE_LOG_LEVEL: pub(
    Type.String({
      description: 'Log level.',
      enum: ['silent', 'error', 'warn', 'info', 'debug'],
      default: 'warn',
    }),
  ),
  METRICS_PORT: pub(
    Type.Integer({
      description: 'Port of /metrics (Prometheus), 0: none.',
      minimum: 0,
      maximum: 65_535,
      default: 0,
    }),
  ),
  METRICS_HOST: pub(
    Type.String({
      description: 'Address /metrics listens on; it asks for no credential.',
      minLength: 1,
      default: '127.0.0.1',
    }),
  ),
  HEARTBEAT_MS: pub(
    Type.Integer({
      description: 'Milliseconds between heartbeats.',
      minimum: 200,
      maximum: 300_000,
      default: 5_000,
    }),
  ),
  POLICY_DIR: pub(Type.String({ description: 'Policy files.', default: 'deploy/policies' })),
  ZONE_POLICY_DIR: Type.Optional(
    pub(Type.String({ description: 'Policy files of the zone itself, *.cedar.', minLength: 1 })),
  ),
  POLICY_DOWN_READS: pub(
    Type.String({
      description:
        'What goes on while policy is away: nothing, or reads of root’s own descriptions it allowed before.',
      enum: ['deny', 'allow_decided'],
      default: 'deny',
    }),
  ),
  CONSOLE_DIR: pub(Type.String({ description: 'Built console.', default: 'dist/apps/console' })),
  DATABASE_URL: Type.Optional(
    secret(Type.String({ description: 'Given server instead of the embedded one.', minLength: 1 })),
  ),
  DATABASE_SCHEMA: pub(
    Type.String({
      description: 'Schema of our tables.',
      pattern: '^[a-z_][a-z0-9_]{0,62}$',
      default: 'adaos',
    }),
  ),
  NATS_URL: Type.Optional(
    secret(Type.String({ description: 'Broker instead of the in-process bus.', minLength: 1 })),
  ),
  SUBJECT_PREFIX: Type.Optional(
    pub(Type.String({ description: 'Put before every subject.', pattern: '^[A-Za-z0-9_-]{1,32}$' })),
  ),
  REDIS_URL: Type.Optional(
    secret(Type.String({ description: 'Redis instead of counters in memory.', minLength: 1 })),
  ),
  ...IdentitySettings,
});
export type Config = Static<typeof Config>;
