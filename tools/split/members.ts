import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IdentitySettings } from '../../apps/session/src/admissions/settings.js';
import { keyFiles } from '../../apps/zone/src/keys.js';
import type { Config } from './config.js';
import type { Member } from './fleet.js';

export interface MemberOptions {
  readonly config: Readonly<Config>;
  readonly database_url: string;
  readonly data_dir: string;
  /** One facade for each. */
  readonly facade_ports: readonly number[];
  readonly operator_digest: string;
  readonly hub_id: string;
  readonly agent_config: string;
}

/** Every process of the split zone with exactly the settings it needs. */
export function members(options: MemberOptions): { services: Member[]; agent: Member } {
  const { config, data_dir, hub_id } = options;
  const keys = keyFiles(data_dir);
  const passwords = config.NATS_PASSWORDS_FILE
    ? (JSON.parse(readFileSync(config.NATS_PASSWORDS_FILE, 'utf8')) as Record<string, string>)
    : null;
  const bus = (user: string) => ({
    ZONE: config.ZONE,
    LOG_LEVEL: config.LOG_LEVEL,
    NATS_URL: config.NATS_URL,
    SUBJECT_PREFIX: config.SUBJECT_PREFIX,
    ...(passwords && { NATS_USER: user, NATS_PASSWORD: passwords[user] }),
  });
  const store = { DATABASE_URL: options.database_url, DATABASE_SCHEMA: config.DATABASE_SCHEMA };
  const limits = {
    REDIS_URL: config.REDIS_URL,
    REDIS_PREFIX: config.REDIS_PREFIX,
    HEARTBEAT_MS: String(config.HEARTBEAT_MS),
    POLICY_DOWN_READS: config.POLICY_DOWN_READS,
  };
  const identity = Object.fromEntries(
    (Object.keys(IdentitySettings) as (keyof typeof IdentitySettings)[])
      .filter((name) => config[name] !== undefined)
      .map((name) => [name, String(config[name])]),
  );
  const services: Record<string, Member['env']> = {
    audit: { ...bus('audit'), ...store },
    session: {
      ...bus('session'),
      ...store,
      LEASE_KEY_FILE: keys.lease_key,
      BOOTSTRAP_OPERATOR_SHA256: options.operator_digest,
      ...identity,
    },
    policy: {
      ...bus('policy'),
      ...store,
      PERMIT_KEY_FILE: keys.permit_key,
      POLICY_LAST_GOOD_FILE: join(data_dir, 'policies-in-force.json'),
      ZONE_POLICY_DIR: config.ZONE_POLICY_DIR,
    },
    descriptor: bus('descriptor'),
    router: { ...bus('router'), ...store, ...limits },
  };
  const replicas = Object.entries(services).flatMap(([app, env]) =>
    Array.from({ length: config.REPLICAS }, (_, i) => ({
      name: `${app}-${i + 1}`,
      script: `dist/apps/${app}/main.mjs`,
      env,
    })),
  );
  const facades = options.facade_ports.map((port, i): Member => ({
    name: `facade-${i + 1}`,
    script: 'dist/apps/zonal-facade/main.mjs',
    env: {
      ...bus('facade'),
      PORT: String(port),
      // The same for all: what one facade sealed another opens.
      REQUEST_STATE_KEY_FILE: keys.request_state_key,
      CONSOLE_DIR: 'dist/apps/console',
    },
  }));
  const agent: Member = {
    name: 'agent',
    script: 'dist/apps/agent/main.mjs',
    args: ['run'],
    env: {
      ...bus(`hub-${hub_id}`),
      AGENT_CONFIG: options.agent_config,
      AGENT_DATA_DIR: join(data_dir, 'demo-hub', 'agent'),
      ROOT_PUBLIC_KEY_FILE: keys.permit_public_key,
    },
  };
  return { services: [...replicas, ...facades], agent };
}
