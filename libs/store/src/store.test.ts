import { jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from './embedded.js';
import { storeSuite } from './store.suite.js';

// A machine that is busy with other work is no failure.
jest.setTimeout(30_000);

storeSuite('embedded PostgreSQL', async () => {
  const base = await mkdtemp(join(tmpdir(), 'store-suite-'));
  const server = await startEmbeddedPostgres({ data_dir: join(base, 'pg'), log: () => {} });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(base, { recursive: true, force: true });
    },
  };
});

const given = process.env['DATABASE_URL'];
if (given) storeSuite('DATABASE_URL', async () => ({ url: given, stop: async () => {} }));
