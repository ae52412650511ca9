import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canReach, serverAccount } from './account.mjs';
import { findPostgresBin } from './binary.mjs';
import { ownDir } from './own-dir.mjs';
import { PROBES } from './probe.mjs';
import { launch, onPort } from './process.mjs';
import { ServiceError } from './service-error.mjs';

/** Superuser of a cluster of our making. */
const ADMIN = 'postgres';

/**
 * Starts a PostgreSQL server of our own on 127.0.0.1, making its cluster first. `admin_url` is its superuser's; a cluster in a given
 * `dir` stays and keeps its password in `dir/admin-password` (mode 0600).
 * @param {{ port?: number, dir?: string, detached?: boolean }} [options] as startNats
 * @returns {Promise<{ admin_url: string, port: number, pid: number, dir: string, stop: () => Promise<void> }>}
 */
export async function startPostgres({ port = 0, dir, detached = false } = {}) {
  const bin = findPostgresBin();
  if (!bin) throw new ServiceError('PostgreSQL is not installed (Debian: apt-get install postgresql).');
  const own = ownDir('postgres', dir);
  try {
    const account = serverAccount();
    const data = join(own.dir, 'data');
    if (account && dir === undefined) chownSync(own.dir, account.uid, account.gid);
    const password = makeCluster({ bin, data, account, dir: own.dir });
    return await onPort(port, async (free) => {
      // No Unix socket: its directory would have to be shared. A server that is thrown away needs no fsync.
      const argv = [
        join(bin, 'postgres'),
        '-D',
        data,
        '-p',
        String(free),
        '-h',
        '127.0.0.1',
        '-c',
        'unix_socket_directories=',
      ];
      if (dir === undefined) argv.push('-c', 'fsync=off');
      const answers = async () => (await PROBES.postgres('127.0.0.1', free)) === 'ready' && isOpen(data);
      // SIGINT is the fast shutdown: SIGTERM would wait for every client to leave.
      const process_ = {
        name: 'postgres',
        argv,
        dir: own.dir,
        account,
        detached,
        answers,
        stop_signal: 'SIGINT',
      };
      const { pid, stop } = await launch(process_);
      const admin_url = `postgres://${ADMIN}:${password}@127.0.0.1:${free}/postgres`;
      return { admin_url, port: free, pid, dir: own.dir, stop: () => stop().then(own.remove) };
    });
  } catch (error) {
    own.remove();
    throw error;
  }
}

/** The last line of postmaster.pid says `ready` once connections are let in. */
function isOpen(data) {
  try {
    return /\bready\s*$/.test(readFileSync(join(data, 'postmaster.pid'), 'utf8'));
  } catch {
    return false;
  }
}

/** Makes the cluster unless it is there; answers the superuser's password. */
function makeCluster({ bin, data, account, dir }) {
  const secret = join(dir, 'admin-password');
  if (!canReach(data, account))
    throw new ServiceError(
      `PostgreSQL refuses to run as root and user id ${account.uid} can't reach ${dir}: set SERVICES_DIR to a directory it can reach, or DATABASE_URL.`,
    );
  if (existsSync(join(data, 'PG_VERSION')) && existsSync(secret)) return readFileSync(secret, 'utf8');
  const password = randomBytes(18).toString('hex');
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(secret, password, { mode: 0o600 });
  if (account) for (const path of [data, secret]) chownSync(path, account.uid, account.gid);
  const argv = [
    '-D',
    data,
    '-U',
    ADMIN,
    '-A',
    'scram-sha-256',
    `--pwfile=${secret}`,
    '-E',
    'UTF8',
    '--no-locale',
    '-N',
  ];
  const { status, stderr, error } = spawnSync(join(bin, 'initdb'), argv, { encoding: 'utf8', ...account });
  if (status !== 0)
    throw new ServiceError(
      `initdb failed: ${error?.message ?? (stderr.trim().split('\n').at(-1) || 'it said nothing')}`,
    );
  return password;
}
