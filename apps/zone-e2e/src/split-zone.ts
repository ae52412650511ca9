import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userNameOf } from '@adaos/bus';
import { natsServerConfig, type NatsConfigUser } from '@adaos/bus/nats-config';
import { connectStore } from '@adaos/store';
import { ensurePostgres, startNats, startRedis } from '../../../tools/services/servers.mjs';
import { launch, type ZoneUnderTest } from './zone-under-test.js';

const USERS: Omit<NatsConfigUser, 'password_var'>[] = [
  { user: 'facade' },
  { user: 'router' },
  { user: 'session' },
  { user: 'policy' },
  { user: 'descriptor' },
  { user: 'audit' },
  { user: 'hub', hub_id: 'demo' },
];

/** A broker with the generated permissions, a Redis and a database of its own, on random ports. */
async function services() {
  const dir = mkdtempSync(join(tmpdir(), 'split-services-'));
  const users = USERS.map((user, i) => ({ ...user, password_var: `PW_${i}` }));
  const passwords = users.map(() => `p${randomBytes(16).toString('hex')}`);
  const env = Object.fromEntries(users.map(({ password_var }, i) => [password_var, passwords[i]!]));
  const file = join(dir, 'passwords.json');
  writeFileSync(
    file,
    JSON.stringify(Object.fromEntries(users.map((u, i) => [userNameOf(u.user, u.hub_id), passwords[i]]))),
    { mode: 0o600 },
  );
  const config_text = natsServerConfig({
    users,
    jetstream_dir: join(dir, 'jetstream'),
    port: -1,
    max_payload: 1_048_576,
  });
  const nats = await startNats({ dir: join(dir, 'nats'), config_text, env });
  const redis = await startRedis({ dir: join(dir, 'redis') });
  const postgres = await ensurePostgres();
  const stop = async () => {
    await postgres.stop();
    await redis.stop();
    await nats.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  return { nats, redis, postgres, file, stop };
}

export interface SplitOptions {
  /** Of each root service; default 2. */
  readonly replicas?: number;
  /** Default 2. */
  readonly facades?: number;
}

/** The zone as processes on real servers of its own, several replicas of each service. */
export async function launchSplit({ replicas = 2, facades = 2 }: SplitOptions = {}): Promise<ZoneUnderTest> {
  const { nats, redis, postgres, file, stop } = await services();
  const database = async () => ({
    async query<T>(text: string): Promise<T[]> {
      const store = connectStore({
        url: postgres.url,
        schema: 'adaos',
        max: 1,
        application_name: 'e2e',
        statement_timeout_ms: 10_000,
      });
      try {
        return (await store.sql.unsafe(text)) as unknown as T[];
      } finally {
        await store.close();
      }
    },
  });
  return launch({
    script: 'dist/tools/split/main.mjs',
    topology: 'split',
    env: {
      NATS_URL: nats.url,
      NATS_PASSWORDS_FILE: file,
      REDIS_URL: redis.url,
      DATABASE_URL: postgres.url,
      REPLICAS: String(replicas),
      FACADES: String(facades),
    },
    database,
    cleanUp: stop,
  });
}
