import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findBinary } from './binary.mjs';

/** podman-compose would name the project after the directory, which split.yaml shares. */
const PROJECT = 'adaos-development';
const FILE = fileURLToPath(new URL('../../deploy/compose/services.yaml', import.meta.url));

/** argv of a compose command whose engine answers, or null. */
function composeCommand() {
  const works = (argv) =>
    findBinary(argv[0]) && spawnSync(argv[0], argv.slice(1), { stdio: 'ignore' }).status === 0;
  if (works(['docker', 'info']) && works(['docker', 'compose', 'version'])) return ['docker', 'compose'];
  if (works(['podman', 'info']) && works(['podman-compose', 'version'])) return ['podman-compose'];
  return null;
}

/** @returns {string | null} why it failed; null: the container runs */
export function composeUp(service) {
  const command = composeCommand();
  if (!command) return 'neither docker compose nor podman-compose answers';
  return run(command, ['up', '-d', service]);
}

/** @returns {string | null} as composeUp */
export function composeStop(service) {
  const command = composeCommand();
  return command ? run(command, ['stop', service]) : 'neither docker compose nor podman-compose answers';
}

function run(command, args) {
  const { status, stderr } = spawnSync(
    command[0],
    [...command.slice(1), '-p', PROJECT, '-f', FILE, ...args],
    {
      encoding: 'utf8',
    },
  );
  return status === 0
    ? null
    : stderr.trim().split('\n').at(-1) || `${command.join(' ')} ended with ${status}`;
}
