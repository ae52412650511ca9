// The sources of the reference pages: our own TypeScript, bundled to a file beside the packages it imports, loaded once, removed.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** What is read, where it is there: a part that does not exist yet has no section. */
const PARTS = {
  runtime_settings: 'libs/runtime/src/settings.ts',
  routes: 'apps/zonal-facade/src/handlers.ts',
  openapi: 'apps/zonal-facade/src/rest/openapi.ts',
  agent_file: 'apps/agent/src/agent-config.ts',
  split_config: 'tools/split/config.ts',
};

const externalPackages = {
  name: 'external-packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path }) =>
      path.startsWith('@adaos/') ? null : { path, external: true },
    ),
};

/** Loads the contracts, the settings of every app, the REST routes and the OpenAPI document of this checkout. */
export async function loadSources() {
  const apps = readdirSync(join(ROOT, 'apps')).filter((app) =>
    existsSync(join(ROOT, 'apps', app, 'src/config.ts')),
  );
  const parts = Object.entries(PARTS).filter(([, path]) => existsSync(join(ROOT, path)));
  const contents = [
    "export * as contracts from '@adaos/contracts';",
    ...parts.map(([name, path]) => `export * as ${name} from './${path}';`),
    ...apps.map((app, i) => `export { Config as config_${i} } from './apps/${app}/src/config.ts';`),
  ].join('\n');
  // Below the checkout, so that bare imports find its node_modules; `dist` is nobody's source.
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const dir = mkdtempSync(join(ROOT, 'dist/reference-'));
  try {
    const outfile = join(dir, 'sources.mjs');
    await build({
      stdin: { contents, resolveDir: ROOT, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
      plugins: [externalPackages],
    });
    const loaded = await import(pathToFileURL(outfile).href);
    return { ...loaded, configs: Object.fromEntries(apps.map((app, i) => [app, loaded[`config_${i}`]])) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Text of a file of the checkout. */
export const textOf = (path) => readFileSync(join(ROOT, path), 'utf8');

const NOT_PRODUCT = ['node_modules', 'dist', 'fixtures', 'suite'];

/** Source files of ours below a folder, tests left out. */
export function sourceFiles(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_PRODUCT.includes(entry.name) ? [] : sourceFiles(path);
    return /\.ts$/.test(entry.name) && !/\.(test|suite)\.ts$/.test(entry.name) ? [path] : [];
  });
}
