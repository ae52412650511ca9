import { connectStore, type Store } from './connect.js';
import { migrate } from './migrate.js';

interface Settings {
  readonly DATABASE_URL: string;
  readonly DATABASE_SCHEMA: string;
}

/** Connects and brings the schema up to date; of many processes that start at once one migrates. `ready` is for health checks. */
export async function openStore(
  config: Settings,
  application_name: string,
): Promise<Store & { ready: () => Promise<boolean> }> {
  const { prepare, ...store } = openStoreLater(config, application_name);
  await prepare();
  const ready = () =>
    store.ping().then(
      () => true,
      () => false,
    );
  return { ...store, ready };
}

/**
 * For a service that has something to go on with while the database is away: connects when first asked. `prepare` brings the schema up to
 * date, once; call it before each use until it resolves.
 */
export function openStoreLater(
  config: Settings,
  application_name: string,
): Store & { prepare: () => Promise<void> } {
  const store = connectStore({
    url: config.DATABASE_URL,
    schema: config.DATABASE_SCHEMA,
    max: 8,
    application_name,
    statement_timeout_ms: 10_000,
  });
  let prepared = false;
  const prepare = async () => {
    if (prepared) return;
    await migrate(store.sql, config.DATABASE_SCHEMA);
    prepared = true;
  };
  return { ...store, prepare };
}
