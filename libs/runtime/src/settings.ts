import { Type } from 'typebox';
import { pub, secret } from '@adaos/contracts';

const text = (description: string, fallback?: string) =>
  pub(Type.String({ description, minLength: 1, ...(fallback !== undefined && { default: fallback }) }));

/** Settings every process has. */
export const CommonSettings = {
  ZONE: pub(
    Type.String({ description: 'Name of the zone.', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', default: 'local' }),
  ),
  LOG_LEVEL: pub(
    Type.String({
      description: 'Log level.',
      enum: ['silent', 'error', 'warn', 'info', 'debug'],
      default: 'info',
    }),
  ),
  HEALTH_PORT: pub(
    Type.Integer({
      description: 'Port of /healthz and /readyz, 0: none.',
      minimum: 0,
      maximum: 65_535,
      default: 0,
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
  METRICS_HOST: text('Address /metrics listens on; it asks for no credential.', '127.0.0.1'),
} as const;

/** The broker: one user per service, one per hub. */
export const BusSettings = {
  NATS_URL: secret(
    Type.String({ description: 'Broker, nats://host:port.', minLength: 1, default: 'nats://127.0.0.1:4222' }),
  ),
  NATS_USER: Type.Optional(text('Broker user; absent on a broker without accounts.')),
  NATS_PASSWORD: Type.Optional(secret(Type.String({ description: 'Password of the broker user.' }))),
  SUBJECT_PREFIX: Type.Optional(
    pub(
      Type.String({
        description: 'Put before every subject; keeps zones apart on one broker.',
        pattern: '^[A-Za-z0-9_-]{1,32}$',
      }),
    ),
  ),
} as const;

/** The database. The URL holds a password, so it is never printed. */
export const StoreSettings = {
  DATABASE_URL: secret(
    Type.String({ description: 'PostgreSQL, postgres://user:password@host:port/database.', minLength: 1 }),
  ),
  DATABASE_SCHEMA: pub(
    Type.String({
      description: 'Schema of our tables.',
      pattern: '^[a-z_][a-z0-9_]{0,62}$',
      default: 'adaos',
    }),
  ),
} as const;
