// npm test: install what is missing, then lint, types, unit, contract and the end-to-end scenarios on the embedded zone.
import { spawnSync } from 'node:child_process';
import { installMissing, requireNode } from './prepare.mjs';

requireNode();
process.chdir(new URL('../..', import.meta.url).pathname);
installMissing();

const node = (...args) => [process.execPath, args];
const jest = (...args) =>
  node('--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...args);
const extra = process.argv.slice(2);

/** Each step has a name a person reads and a command that must end with 0. */
const STEPS = {
  lint: [
    node('node_modules/nx/dist/bin/nx.js', 'show', 'projects'),
    node('node_modules/eslint/bin/eslint.js', '--max-warnings=0', 'apps', 'libs', 'tools'),
  ],
  types: [node('node_modules/tsc7/bin/tsc', '-b', 'tsconfig.json')],
  // One worker a core: node's share for the runner itself is small.
  unit: [jest('--maxWorkers=100%', '--selectProjects', ...unitProjects())],
  differential: [jest('--selectProjects', 'zonal-facade', '--runInBand', '--', 'fast-path.differential')],
  build: [
    node('tools/bootstrap/build.mjs'),
    node('tools/bootstrap/console.mjs'),
    node('tools/conformance/build.mjs'),
  ],
  console: [jest('-c', 'apps/console/jest.e2e.config.cjs')],
  e2e: [jest('-c', 'apps/zone-e2e/jest.config.cjs', '--runInBand')],
};

function unitProjects() {
  return [
    'contracts',
    'runtime',
    'bus',
    'store',
    'limits',
    'permit',
    'redact',
    'zonal-facade',
    'descriptor',
    'policy',
    'session',
    'router',
    'audit',
    'agent',
    'zone',
    'cli',
    'console',
    'checks',
    'generators',
    'split',
    'conformance',
    'services',
  ];
}

// The console's needs a browser, which only CI and those who work on it have; the differential test is in unit, with fewer requests.
const wanted = extra.length
  ? extra
  : Object.keys(STEPS).filter((name) => name !== 'console' && name !== 'differential');
for (const name of wanted) {
  if (!STEPS[name]) {
    console.error(`no step ${name}; there are ${Object.keys(STEPS).join(', ')}`);
    process.exit(2);
  }
  for (const [command, args] of STEPS[name]) {
    const began = Date.now();
    console.error(`\n▶ ${name}`);
    const { status } = spawnSync(command, args, {
      stdio: name === 'lint' && args.includes('show') ? 'ignore' : 'inherit',
      env: { ...process.env, NX_DAEMON: 'false', NODE_ENV: 'test' },
    });
    if (status !== 0) {
      console.error(`✗ ${name} failed`);
      process.exit(1);
    }
    console.error(`✓ ${name} ${((Date.now() - began) / 1000).toFixed(1)} s`);
  }
}
