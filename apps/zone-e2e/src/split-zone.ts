import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@adaos/bus';
import { connectStore } from '@adaos/store';
import { ensurePostgres, startRedis } from '../../../tools/services/servers.mjs';
import { DEAF_ROUTER, startBroker } from './split-broker.js';
import { launch, REPO, until, type ZoneUnderTest } from './zone-under-test.js';

/** A zone of processes, with what a test of several replicas needs besides. */
export interface SplitZone extends ZoneUnderTest {
  /** Plays the hub `probe` on the broker. */
  readonly connectProbe: () => Promise<Bus>;
  /** One more router, which hears of no revocation. Answers its end. */
  readonly startDeafRouter: () => Promise<() => Promise<void>>;
}

export interface SplitOptions {
  /** Of each root service; default 2. */
  readonly replicas?: number;
  /** Default 2. */
  readonly facades?: number;
  /** Further settings of the launcher. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The zone as processes on real servers of its own, several replicas of each service. */
export async function launchSplit({
  replicas = 2,
  facades = 2,
  env = {},
}: SplitOptions = {}): Promise<SplitZone> {
  const dir = mkdtempSync(join(tmpdir(), 'split-services-'));
  const broker = await startBroker(dir);
  const redis = await startRedis({ dir: join(dir, 'redis') });
  const postgres = await ensurePostgres();
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
  const shared = { NATS_URL: broker.url, REDIS_URL: redis.url, DATABASE_URL: postgres.url };
  const zone = await launch({
    script: 'dist/tools/split/main.mjs',
    topology: 'split',
    env: {
      ...shared,
      NATS_PASSWORDS_FILE: broker.passwords_file,
      REPLICAS: String(replicas),
      FACADES: String(facades),
      ...env,
    },
    database,
    async cleanUp() {
      await postgres.stop();
      await redis.stop();
      await broker.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  });
  const deaf = { ...shared, NATS_USER: DEAF_ROUTER, NATS_PASSWORD: broker.deaf_password };
  return {
    ...zone,
    connectProbe: () => broker.connectHub('probe'),
    startDeafRouter: () => startRouter({ ...deaf, ZONE: zone.connection().zone }),
  };
}

async function startRouter(env: Record<string, string>): Promise<() => Promise<void>> {
  const HEALTH_PORT = String(await freePort());
  const { PATH, HOME } = process.env;
  const router = spawn(process.execPath, [join(REPO, 'dist/apps/router/main.mjs')], {
    cwd: REPO,
    env: { PATH, HOME, HEARTBEAT_MS: '500', LOG_LEVEL: 'silent', HEALTH_PORT, ...env },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((done) => router.once('exit', () => done()));
  await until('the router to be ready', () =>
    fetch(`http://127.0.0.1:${HEALTH_PORT}/readyz`).then(
      (answer) => answer.ok || undefined,
      () => undefined,
    ),
  );
  return () => {
    router.kill('SIGTERM');
    return ended;
  };
}

/** A port that was free a moment ago. */
const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
