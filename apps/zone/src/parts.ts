import { inboxPrefixOf, type Bus } from '@adaos/bus';
import { createInProcessBroker } from '@adaos/bus/in-process';
import { connectNats } from '@adaos/bus/nats';
import { OpError, type BusUser } from '@adaos/contracts';
import type { Limits } from '@adaos/limits';
import { createMemoryLimits } from '@adaos/limits/memory';
import { connectRedisLimits } from '@adaos/limits/redis';
import type { Log, Stop } from '@adaos/runtime';
import { openStore, startEmbeddedPostgres, type Store } from '@adaos/store';
import { join } from 'node:path';
import type { Config } from './config.js';

/** What one process needs of the world, each part embedded unless its URL is given. */
export interface Parts {
  readonly store: Store;
  readonly limits: Limits;
  readonly connectBus: (user: BusUser, hub_id?: string) => Promise<Bus>;
  /** In start order; stopped in reverse. */
  readonly stops: Stop[];
}

type Say = (what: string) => void;

/** Database, bus and limits of the zone. Every part it started is in `stops`, also when a later one fails. */
export async function openParts(config: Readonly<Config>, log: Log, stops: Stop[], say: Say): Promise<Parts> {
  const store = await openDatabase(config, log, stops, say);
  const connectBus = openBus(config, log, stops);
  say(config.NATS_URL ? 'broker: NATS as given, connecting' : 'bus: in this process');
  const limits = await openLimits(config);
  stops.push(() => limits.close());
  const { degraded } = await limits.take('start', { points: 1_000, duration_s: 1 });
  if (config.REDIS_URL)
    say(
      degraded
        ? 'limits: REDIS_URL does not answer; this process counts alone until it does'
        : 'limits: Redis as given',
    );
  else say('limits: in memory');
  return { store, limits, connectBus, stops };
}

async function openDatabase(config: Readonly<Config>, log: Log, stops: Stop[], say: Say): Promise<Store> {
  let url = config.DATABASE_URL;
  if (!url) {
    const server = await startEmbeddedPostgres({
      data_dir: join(config.ZONE_DATA_DIR, 'postgres'),
      log: (line) => log.debug({ postgres: line }),
      onExit: ({ code, signal }) =>
        log.error({ code, signal }, 'the embedded database ended; restart the zone'),
    });
    stops.push(() => server.stop());
    url = server.url;
  }
  const store = await openStore({ DATABASE_URL: url, DATABASE_SCHEMA: config.DATABASE_SCHEMA }, 'zone').catch(
    (error: unknown) => {
      if (!(error instanceof OpError)) throw error;
      throw new Error(
        'DATABASE_URL does not answer: check host, port, user and password, or leave it out for the embedded server.',
      );
    },
  );
  stops.push(() => store.close());
  say(config.DATABASE_URL ? 'database: PostgreSQL as given' : 'database: embedded PostgreSQL');
  return store;
}

function openBus(config: Readonly<Config>, log: Log, stops: Stop[]): Parts['connectBus'] {
  const url = config.NATS_URL;
  if (!url) {
    const broker = createInProcessBroker();
    stops.push(async () => broker.close());
    return async (user, hub_id) => broker.connect(user, hub_id);
  }
  return async (user, hub_id) => {
    const bus = await connectNats({
      url,
      name: `zone-${user}`,
      inbox_prefix: inboxPrefixOf(user, hub_id),
      subject_prefix: config.SUBJECT_PREFIX,
      log,
    }).catch(() => {
      throw new Error(
        'NATS_URL does not answer: check host and port, or leave it out for the bus in this process.',
      );
    });
    stops.push(() => bus.close());
    return bus;
  };
}

const openLimits = async (config: Readonly<Config>): Promise<Limits> =>
  config.REDIS_URL
    ? connectRedisLimits({ url: config.REDIS_URL, prefix: `adaos:${config.ZONE}:` })
    : createMemoryLimits();
