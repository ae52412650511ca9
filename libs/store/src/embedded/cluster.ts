import { constants } from 'node:fs';
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { StoreStartError, codeOf } from '../start-error.js';

/** Only names the socket file; nothing listens on TCP. */
export const SOCKET_PORT = 5432;
/** sun_path holds 104 bytes on macOS and 108 on Linux, one of them the end mark. */
const MAX_SOCKET_PATH_BYTES = 103;
const TMP_PREFIX = 'adaos-pg-';

/** Where things lie below the data directory. The cluster has a folder of its own: a volume's root is never empty. */
export const clusterOf = (data_dir: string) => join(data_dir, 'cluster');
export const lockOf = (data_dir: string) => join(data_dir, 'launcher.lock');
const socketFile = (socket_dir: string, port: number | string) => join(socket_dir, `.s.PGSQL.${port}`);

/**
 * Makes the data directory and answers its real path.
 * @throws StoreStartError when a file is in its place, it can't be made or written, or it holds a cluster of someone else.
 */
export async function prepareDataDir(path: string): Promise<string> {
  const wanted = resolve(path);
  try {
    await makeDir(wanted);
    const data_dir = await realpath(wanted);
    const probe = join(data_dir, `.probe-${process.pid}`);
    await writeFile(probe, '');
    await rm(probe);
    if ((await readdir(data_dir)).includes('PG_VERSION')) {
      throw new StoreStartError(
        `${data_dir} is itself a PostgreSQL cluster made by something else: choose another data directory.`,
      );
    }
    return data_dir;
  } catch (error) {
    if (error instanceof StoreStartError) throw error;
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTDIR') {
      throw new StoreStartError(
        `${wanted} can't be the data directory, because a file is in its place: move it away or choose another directory.`,
      );
    }
    throw new StoreStartError(
      `The data directory ${wanted} can't be written (${codeOf(error)}): give this user the right to write it or choose another directory.`,
    );
  }
}

/** mkdir -p. Node's own never returns where the kernel refuses new entries with ENOENT, as below /proc. */
async function makeDir(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (codeOf(error) !== 'ENOENT' || (await stat(dirname(path)).catch(() => null))) throw error;
    await makeDir(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

/**
 * Major version of the cluster in `data_dir`, or null when there is none yet.
 * @throws StoreStartError when what is there is no cluster.
 */
export async function clusterMajor(data_dir: string): Promise<number | null> {
  const cluster = clusterOf(data_dir);
  const broken = (why: string) =>
    new StoreStartError(
      `The database files in ${cluster} are damaged (${why}): restore them from a backup, or move that directory away to start with an empty database.`,
    );
  const entries = await readdir(cluster).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw broken(codeOf(error) === 'ENOTDIR' ? 'a file is in its place' : codeOf(error));
  });
  if (entries.length === 0) return null;
  const text = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '');
  if (!/^\d{1,3}\s*$/.test(text))
    throw broken(text === '' ? 'PG_VERSION is missing' : 'PG_VERSION is unreadable');
  return Number(text);
}

/** Hands the directory to the account that runs the server (only root can), and closes the cluster to everybody else. */
export async function handOver(data_dir: string, owner: { uid: number; gid: number }): Promise<void> {
  const cluster = clusterOf(data_dir);
  if (process.getuid?.() === 0) {
    if ((await stat(data_dir)).uid !== owner.uid) await lchown(data_dir, owner.uid, owner.gid);
    const held = await lstat(cluster).catch(() => null);
    if (held && held.uid !== owner.uid) await chownTree(cluster, owner);
  }
  const held = await lstat(cluster).catch(() => null);
  if (held && held.uid !== owner.uid) {
    throw new StoreStartError(
      `The database files in ${cluster} belong to user id ${held.uid}: start as that user or choose another data directory.`,
    );
  }
  // A restored backup often comes with mode 755, which the server refuses.
  if (held && (held.mode & 0o077) !== 0) await chmod(cluster, 0o700);
}

async function chownTree(path: string, owner: { uid: number; gid: number }): Promise<void> {
  await lchown(path, owner.uid, owner.gid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await chownTree(child, owner);
    else await lchown(child, owner.uid, owner.gid);
  }
}

/** What a server wrote into postmaster.pid (pidfile.h): line 1 pid, 4 port, 5 socket directory, 8 status. */
export interface PidFile {
  pid: number;
  socket_dir: string;
  socket: string;
  ready: boolean;
}

/** Reads postmaster.pid; null when the server has not written it or it is not one. */
export async function readPidFile(cluster: string): Promise<PidFile | null> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  const socket_dir = lines[4] ?? '';
  return {
    pid,
    socket_dir,
    socket: socketFile(socket_dir, lines[3] ?? ''),
    ready: /^ready/.test(lines[7] ?? ''),
  };
}

/**
 * Marks the pid file of a dead server as ours to replace. Its pid may by now belong to an unrelated process, and then the
 * server would refuse to start; it takes its parent's pid for stale (miscinit.c). The other lines stay, because the server still
 * checks the shared memory they name.
 */
export async function disownPidFile(cluster: string): Promise<void> {
  const path = join(cluster, 'postmaster.pid');
  const lines = (await readFile(path, 'utf8')).split('\n');
  // Never through a link: as root we would write where the account that owns this directory points us to.
  const flag = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;
  await writeFile(path, [String(process.pid), ...lines.slice(1)].join('\n'), { flag });
}

/** Whether something accepts connections on the socket. */
export function socketAnswers(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ path });
    const end = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/**
 * A directory of mode 700 for the server's socket: the cluster itself, or a short one under the temporary directory when the
 * path would not fit a socket address or has characters that the setting would split at.
 */
export async function socketDir(data_dir: string, owner: { uid: number; gid: number }): Promise<string> {
  const inside = clusterOf(data_dir);
  const fits = (dir: string) => Buffer.byteLength(socketFile(dir, SOCKET_PORT)) <= MAX_SOCKET_PATH_BYTES;
  if (fits(inside) && /^[\w/.@+-]+$/.test(inside)) return inside;
  const base = fits(join(tmpdir(), `${TMP_PREFIX}000000`)) ? tmpdir() : '/tmp';
  const dir = await mkdtemp(join(base, TMP_PREFIX));
  if (process.getuid?.() === 0) await lchown(dir, owner.uid, owner.gid);
  return dir;
}

/** Removes a socket directory of ours under the temporary directory; leaves any other alone. */
export async function removeSocketDir(dir: string): Promise<void> {
  if (/(^|\/)adaos-pg-\w{6}$/.test(dir)) await rm(dir, { recursive: true, force: true });
}
