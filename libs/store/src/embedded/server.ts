// The one file of this library that starts processes (D11): no npm package runs the server under root, on a private socket and with adoption
// after a crash. Only argv arrays, no shell, an environment of two variables.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreStartError, codeOf } from '../start-error.js';
import { SOCKET_PORT, readPidFile } from './cluster.js';
import type { Identity } from './identity.js';
import type { Run } from './process.js';

const ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
/** Crash recovery after a hard stop replays the log before the server answers. */
const START_LIMIT_MS = 120_000;
const FAST_STOP_MS = 10_000;
const QUIT_STOP_MS = 5_000;
/** Tells our servers from one that somebody started by hand on the same files. */
export const SERVER_MARK = 'cluster_name=adaos-embedded';

const SETTINGS = [
  SERVER_MARK,
  'listen_addresses=',
  'unix_socket_permissions=0700',
  'fsync=on',
  'max_connections=60',
  'shared_buffers=64MB',
  // /dev/shm of a container holds 64 MB; parallel plans would use it up.
  'max_parallel_workers_per_gather=0',
  'jit=off',
  'timezone=UTC',
  'logging_collector=off',
  'log_destination=stderr',
];

export interface ServerEnd {
  code: number | null;
  signal: string | null;
}

/** Runs a command to its end, at most two minutes. Never throws. */
export const run: Run = (argv, options = {}) =>
  new Promise((done) => {
    const out = { stdout: '', stderr: '' };
    const ids = process.getuid?.() === 0 ? { uid: options.uid, gid: options.gid } : {};
    // The working directory must be one the other account may enter.
    const child = spawn(String(argv[0]), argv.slice(1), { cwd: options.cwd ?? '/', env: ENV, ...ids });
    // Not spawn's own timeout: its timer outlives a command that could not be started.
    const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
    const end = (code: number | null, fault?: string) => {
      clearTimeout(limit);
      done({ code, fault, ...out });
    };
    child.stdout.on('data', (chunk) => (out.stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (out.stderr += String(chunk)));
    child.once('error', (error) => end(null, codeOf(error)));
    child.once('close', (code) => end(code));
  });

/** The last fault a PostgreSQL program complained of. */
export const lastFault = (stderr: string) =>
  stderr
    .match(/(?:FATAL|PANIC|error):\s*(.+)/g)
    ?.at(-1)
    ?.replace(/^\w+:\s*/, '') ??
  stderr.trim().split('\n').at(-1) ??
  '';

export interface Server {
  child: ChildProcess;
  pid: number;
  ended: Promise<ServerEnd>;
  /** The end of what it said, once it has said all. */
  stderr(): Promise<string>;
}

function spawnServer(
  cluster: string,
  socket_dir: string,
  identity: Identity,
  log: (line: string) => void,
): Server {
  const where = ['-D', cluster, '-k', socket_dir, '-p', String(SOCKET_PORT)];
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  const argv = [...identity.prefix, join(identity.bin_dir, 'postgres'), ...where, ...settings];
  const child = spawn(String(argv[0]), argv.slice(1), {
    cwd: '/',
    env: ENV,
    // Own process group: Ctrl-C in a terminal must reach us alone, or the store would vanish while services still drain into it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(process.getuid?.() === 0 && { uid: identity.uid, gid: identity.gid }),
  });
  let tail = '';
  let partial = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-8_000);
    const lines = (partial + chunk).split('\n');
    partial = lines.pop() ?? '';
    for (const line of lines) log(line);
  });
  const end = (event: 'exit' | 'close') =>
    new Promise<ServerEnd>((done) => {
      child.once('error', () => done({ code: null, signal: null }));
      child.once(event, (code: number | null, signal: string | null) => done({ code, signal }));
    });
  const closed = end('close');
  return { child, pid: child.pid ?? -1, ended: end('exit'), stderr: () => closed.then(() => tail) };
}

/** Starts the server and waits until its pid file says that it accepts connections (as pg_ctl does). */
export async function launch(
  cluster: string,
  socket_dir: string,
  identity: Identity,
  log: (line: string) => void,
): Promise<Server> {
  const give_up_at = Date.now() + START_LIMIT_MS;
  for (;;) {
    const server = spawnServer(cluster, socket_dir, identity, log);
    let over = false;
    void server.ended.then(() => (over = true));
    while (!over && Date.now() < give_up_at) {
      const written = await readPidFile(cluster);
      if (written?.pid === server.pid && written.ready) return server;
      await delay(15);
    }
    if (!over) {
      await endServer(server.pid, async () => over);
      throw new StoreStartError(
        `The database in ${cluster} did not come up within ${START_LIMIT_MS / 1000} s: look at its log lines above.`,
      );
    }
    const stderr = await server.stderr();
    // Backends of a server that was killed a moment ago may still hold its shared memory; they end by themselves.
    if (/pre-existing shared memory block/.test(stderr) && Date.now() < give_up_at) {
      await delay(200);
      continue;
    }
    throw new StoreStartError(
      `The database in ${cluster} did not start (${lastFault(stderr)}): repair it, restore it from a backup, or move that directory away to start with an empty database.`,
    );
  }
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one (recovery at the next start); both end the backends too. */
export async function endServer(pid: number, ended: () => Promise<boolean>): Promise<void> {
  const steps = [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', QUIT_STOP_MS],
    ['SIGKILL', QUIT_STOP_MS],
  ] as const;
  for (const [signal, limit_ms] of steps) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (codeOf(error) === 'ESRCH') return;
      throw error;
    }
    for (const until = Date.now() + limit_ms; Date.now() < until; await delay(20)) if (await ended()) return;
  }
}
