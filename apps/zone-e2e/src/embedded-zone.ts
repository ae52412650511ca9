import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectStore } from '@adaos/store';
import { launch, type ZoneUnderTest } from './zone-under-test.js';

/** The zone in one process, with nothing but Node. */
export const launchEmbedded = (
  env: Record<string, string> = {},
  script = 'dist/apps/zone/main.mjs',
): Promise<ZoneUnderTest> => launch({ script, topology: 'embedded', env, database: embeddedDatabase });

/** A second connection to the embedded server, through its private socket; looked up anew, since a restarted zone has another one. */
async function embeddedDatabase(data_dir: string) {
  const pidFile = () => {
    const found = (dir: string): string | undefined => {
      for (const entry of readdirSync(dir, { withFileTypes: true })) {
        if (entry.name === 'postmaster.pid') return join(dir, entry.name);
        if (entry.isDirectory() && !['base', 'pg_wal'].includes(entry.name)) {
          const deeper = found(join(dir, entry.name));
          if (deeper) return deeper;
        }
      }
      return undefined;
    };
    return found(join(data_dir, 'postgres'));
  };
  return {
    async query<T>(text: string): Promise<T[]> {
      const [, , , port, socket_dir] = readFileSync(pidFile()!, 'utf8').split('\n');
      const store = connectStore({
        options: { host: socket_dir!, port: Number(port), user: 'postgres', database: 'postgres' },
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
  };
}
