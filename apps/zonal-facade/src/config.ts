import { pub } from '@adaos/contracts';
import { Type, type Static } from 'typebox';

const text = (description: string, rule: { pattern?: string; default?: string } = {}) =>
  pub(Type.String({ maxLength: 2_048, description, ...rule }));

/** Settings of the HTTP edge, read once from the environment; broker, zone and log settings are those of every service. */
export const Config = Type.Object({
  HOST: text('Address to listen on.', { default: '127.0.0.1' }),
  PORT: pub(
    Type.Integer({ description: 'Port, 0: any free one.', minimum: 0, maximum: 65_535, default: 8_930 }),
  ),
  PUBLIC_URL: Type.Optional(
    text('Origin clients use when it is not where the facade listens, without a path.', {
      pattern: '^https?://[A-Za-z0-9.\\-\\[\\]:]+/?$',
    }),
  ),
  ALLOWED_HOSTS: text('Further Host values, comma-separated, with the port unless it is the default one.', {
    default: '',
  }),
  ALLOWED_ORIGINS: text('Further Origin values, comma-separated, as browsers send them.', { default: '' }),
  TRUST_PROXY: text(
    'Proxies in front whose X-Forwarded-For, -Host and -Proto count: addresses or networks (10.0.0.0/8), comma-separated.',
    { default: '' },
  ),
  REQUEST_STATE_KEY_FILE: text(
    'Key that seals the state of calls which take several rounds, 64 hex digits, the same on every replica. Further lines: older keys, still accepted.',
  ),
  TLS_CERT_FILE: Type.Optional(
    text(
      'Certificate (PEM, issuers after it): with the key the facade speaks HTTPS. Taken anew when it changes.',
    ),
  ),
  TLS_KEY_FILE: Type.Optional(text('Private key (PEM, no passphrase) of the certificate.')),
  CONSOLE_DIR: Type.Optional(text('Folder of the built console, served under /console.')),
});
export type Config = Static<typeof Config>;
