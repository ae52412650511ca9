import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, startEmbeddedPostgres, type Store } from '@adaos/store';

/** A migrated store with a schema of its own: on DATABASE_URL if it is set, else on an embedded server in a temporary folder. */
export async function testStore(): Promise<{ store: Store; close: () => Promise<void> }> {
  const schema = `t_${randomBytes(6).toString('hex')}`;
  const given = process.env['DATABASE_URL'];
  const data_dir = given ? null : mkdtempSync(join(tmpdir(), 'store-'));
  const server = data_dir ? await startEmbeddedPostgres({ data_dir, log: () => undefined }) : null;
  const store = await openStore({ DATABASE_URL: given ?? server!.url, DATABASE_SCHEMA: schema }, 'test');
  const close = async () => {
    await store.sql.unsafe(`drop schema if exists "${schema}" cascade`);
    await store.close();
    await server?.stop();
    if (data_dir) rmSync(data_dir, { recursive: true, force: true });
  };
  return { store, close };
}
