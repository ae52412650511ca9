// What both commands do first, with nothing but Node: check the version, install what is missing.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

// Vite 8 and undici 7 ask for it.
const MIN = [20, 19];

/** Leaves with one sentence when this Node is too old. */
export function requireNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > MIN[0] || (major === MIN[0] && minor >= MIN[1])) return;
  console.error(
    `This needs Node ${MIN.join('.')} or newer; this is ${version}. Install a current one from https://nodejs.org.`,
  );
  process.exit(1);
}

/** Runs `npm ci` unless node_modules already is what package-lock.json says. */
export function installMissing() {
  if (installed()) return;
  console.error('  installing packages (once, about a minute)');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return;
  console.error('npm ci failed: check the network and the lines above, then run the command again.');
  process.exit(1);
}

/** npm writes what it installed to node_modules/.package-lock.json: every required package of ours must stand there in our version. */
function installed() {
  const file = 'node_modules/.package-lock.json';
  if (!existsSync(file)) return false;
  const have = JSON.parse(readFileSync(file, 'utf8')).packages;
  const want = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  return Object.entries(want).every(
    ([path, wanted]) =>
      path === '' ||
      !path.startsWith('node_modules/') ||
      wanted.optional ||
      wanted.link ||
      have[path]?.version === wanted.version,
  );
}
