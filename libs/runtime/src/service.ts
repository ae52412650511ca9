import { inboxPrefixOf } from '@adaos/bus';
import { connectNats } from '@adaos/bus/nats';
import type { BusUser } from '@adaos/contracts';
import { Registry } from 'prom-client';
import { Type, type Static, type TObject } from 'typebox';
import { systemClock } from './clock.js';
import { loadConfig, printableConfig } from './config.js';
import { serveHealth } from './health.js';
import { randomIds } from './ids.js';
import { createLog } from './log.js';
import { serveMetrics } from './metrics.js';
import { stopAll, type BaseDeps, type Module, type Stop } from './module.js';
import { runMain } from './run-main.js';
import { BusSettings, CommonSettings } from './settings.js';

const Base = Type.Object({ ...CommonSettings, ...BusSettings });
type Base = Static<typeof Base>;

/** Milliseconds to go on trying for the first broker connection. */
const FIRST_CONNECT_MS = 30_000;

export interface ServiceParts<D extends BaseDeps> {
  readonly deps: Omit<D, keyof BaseDeps>;
  /** Closed after the service has drained. */
  readonly close?: Stop;
  readonly ready?: () => Promise<boolean>;
}

/**
 * One service as its own process: settings from the environment, a broker connection under the service's user, health, drain.
 * `connect` makes what the service needs besides. `--print-config` shows the settings, secrets masked, and leaves.
 */
export function runService<S extends TObject, D extends BaseDeps>(
  module: Module<D>,
  user: BusUser,
  settings: S,
  connect: (config: Readonly<Static<S>>, base: Pick<BaseDeps, 'log' | 'zone'>) => Promise<ServiceParts<D>>,
): Promise<void> {
  return runMain(module.name, async () => {
    const schema = Type.Object({ ...Base.properties, ...settings.properties }) as unknown as S;
    const config = loadConfig(schema, process.env) as Readonly<Static<S>> & Readonly<Base>;
    if (process.argv.includes('--print-config')) {
      process.stdout.write(
        JSON.stringify(printableConfig(schema, config as Record<string, unknown>), null, 2) + '\n',
      );
      process.exit(0);
    }
    const log = createLog(module.name, config.LOG_LEVEL);
    const zone = config.ZONE;
    const bus = await connectNats({
      url: config.NATS_URL,
      name: `${module.name}@${zone}`,
      inbox_prefix: inboxPrefixOf(user),
      // Orchestrators start services in any order; the broker may come up last.
      first_connect_ms: FIRST_CONNECT_MS,
      user: config.NATS_USER,
      password: config.NATS_PASSWORD,
      subject_prefix: config.SUBJECT_PREFIX,
      log,
    });
    const { deps, close, ready } = await connect(config, { log, zone });
    // Alive from here on, ready once the service serves.
    let started = false;
    const health = await serveHealth(
      config.HEALTH_PORT,
      async () => started && bus.connected && (ready ? await ready() : true),
    );
    const metrics = new Registry();
    const scrape = await serveMetrics({ host: config.METRICS_HOST, port: config.METRICS_PORT }, metrics);
    const stop = await module.start({
      metrics,
      zone,
      bus,
      clock: systemClock,
      ids: randomIds,
      log,
      ...deps,
    } as unknown as D);
    started = true;
    log.info('started');
    return stopAll([async () => close?.(), () => bus.close(), health, scrape, stop]);
  });
}
