import { connectStore, type Store } from './connect.js';
import { migrate } from './migrate.js';

/** Connects and brings the schema up to date; of many processes that start at once one migrates. `ready` is for health checks. */
export async function openStore(
  config: { readonly DATABASE_URL: string; readonly DATABASE_SCHEMA: string },
  application_name: string,
): Promise<Store & { ready: () => Promise<boolean> }> {
  const store = connectStore({
    url: config.DATABASE_URL,
    schema: config.DATABASE_SCHEMA,
    max: 8,
    application_name,
    statement_timeout_ms: 10_000,
  });
  await migrate(store.sql, config.DATABASE_SCHEMA);
  const ready = () =>
    store.ping().then(
      () => true,
      () => false,
    );
  return { ...store, ready };
}
