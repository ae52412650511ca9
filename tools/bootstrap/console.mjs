// Builds the console into dist/apps/console, unless what is there is newer than its sources.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const newest = (path) => {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(
    0,
    ...readdirSync(path)
      .filter((name) => name !== 'e2e')
      .map((name) => newest(join(path, name))),
  );
};

const builtAt = () => {
  try {
    return statSync('dist/apps/console/index.html').mtimeMs;
  } catch {
    return 0;
  }
};

export async function buildConsole() {
  // The console takes its texts of errors from the contracts.
  if (builtAt() > Math.max(newest('apps/console'), newest('libs/contracts/src'))) return;
  const { build } = await import('vite');
  await build({ root: 'apps/console', logLevel: 'error' });
}

if (process.argv[1]?.endsWith('console.mjs')) await buildConsole();
