// The one file of this library that starts processes (D11): the server is a child of ours because no npm package runs it
// under root, on a private socket and with adoption after a crash. Only argv arrays, no shell, an environment of two variables.
import { spawn, type ChildProcess } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { USE_DATABASE_URL, ensureLibraryLinks, locatePackage } from './embedded/binaries.js';
import {
  SOCKET_PORT,
  clusterMajor,
  clusterOf,
  disownPidFile,
  handOver,
  lockOf,
  prepareDataDir,
  readPidFile,
  removeSocketDir,
  socketAnswers,
  socketDir,
} from './embedded/cluster.js';
import { chooseIdentity, type Identity } from './embedded/identity.js';
import { takeLauncherLock } from './embedded/lock.js';
import { processFacts, type Run } from './embedded/process.js';
import { StoreStartError, codeOf } from './start-error.js';

const ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
/** Crash recovery after a hard stop replays the log before the server answers. */
const START_LIMIT_MS = 120_000;
const FAST_STOP_MS = 10_000;
const QUIT_STOP_MS = 5_000;
/** Tells our servers from one that somebody started by hand on the same files. */
const MARK = 'cluster_name=adaos-embedded';

export interface EmbeddedPostgres {
  /** libpq form, `postgresql://postgres@localhost/postgres?host=<socket directory>`: for connectStore and for psql. */
  url: string;
  /** The same for drivers that take options. */
  options: { host: string; port: number; user: string; database: string };
  pid: number;
  /** Fast shutdown; immediate after 10 s; kill after 5 more. Safe to call twice. */
  stop(): Promise<void>;
}

/** Runs a command to its end, at most two minutes. Never throws. */
const run: Run = (argv, options = {}) =>
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

const lastFault = (stderr: string) =>
  stderr
    .match(/(?:FATAL|PANIC|error):\s*(.+)/g)
    ?.at(-1)
    ?.replace(/^\w+:\s*/, '') ??
  stderr.trim().split('\n').at(-1) ??
  '';

/**
 * Starts the PostgreSQL server that ships as an npm package, on a Unix socket that only this user (and root) can reach.
 * The first start creates the database below `data_dir`; later starts find their data again, also after a SIGKILL of the server or of us:
 * a server that a killed launcher left behind is stopped and replaced. fsync stays on.
 *
 * `log` gets the server's own lines. `onExit` is told when the server ends without stop(), once everything is released,
 * so that it may start a new one.
 * @throws StoreStartError with one sentence: no binaries for this machine, a data directory that is a file, unwritable, damaged, of another
 * major version, or in use by a live process.
 */
export async function startEmbeddedPostgres(
  wanted: {
    data_dir: string;
    log: (line: string) => void;
    onExit?: (end: { code: number | null; signal: string | null }) => void;
  },
  deps: { package_dir?: string } = {},
): Promise<EmbeddedPostgres> {
  const { log } = wanted;
  const package_dir = deps.package_dir ?? locatePackage();
  await ensureLibraryLinks(package_dir, run);
  const data_dir = await prepareDataDir(wanted.data_dir);
  const unlock = await takeLauncherLock(lockOf(data_dir), data_dir, run);
  let socket_dir = '';
  try {
    const identity = await chooseIdentity({ data_dir, package_dir, run, log });
    const owner = { uid: identity.owner_uid, gid: identity.gid ?? process.getgid?.() ?? identity.owner_uid };
    await handOver(data_dir, owner);
    await retirePrevious(clusterOf(data_dir), log);
    await createOrCheck(data_dir, identity, log);
    socket_dir = await socketDir(data_dir, owner);
    const server = await launch(clusterOf(data_dir), socket_dir, identity, log);
    return supervise(server, socket_dir, unlock, wanted.onExit);
  } catch (error) {
    await removeSocketDir(socket_dir);
    await unlock();
    if (error instanceof StoreStartError) throw error;
    throw new StoreStartError(
      `The embedded database in ${data_dir} could not be started (${codeOf(error) || String(error)}): check that directory's owner and free space, or ${USE_DATABASE_URL}.`,
    );
  }
}

/** With the launcher's lock held, a live server of ours here has lost its launcher: stop it. Anybody else's is left alone. */
async function retirePrevious(cluster: string, log: (line: string) => void): Promise<void> {
  const left = await readPidFile(cluster);
  if (!left) return;
  const facts = await processFacts(left.pid, run);
  const is_server = facts?.command.includes(`postgres -D ${cluster} `) ?? false;
  const is_ours = is_server && facts?.command.includes(MARK);
  if (is_ours) {
    log(`embedded postgres: stopping the server ${left.pid} that a killed process left behind`);
    await endServer(left.pid, async () => (await processFacts(left.pid, run)) === null);
    await removeSocketDir(left.socket_dir);
  } else if (is_server || (left.socket_dir !== '' && (await socketAnswers(left.socket)))) {
    throw new StoreStartError(
      `Another PostgreSQL server (process ${left.pid}, perhaps in another container) is running on ${cluster}: stop it or choose another data directory.`,
    );
  } else {
    await disownPidFile(cluster);
    await removeSocketDir(left.socket_dir);
  }
}

async function createOrCheck(
  data_dir: string,
  identity: Identity,
  log: (line: string) => void,
): Promise<void> {
  const found = await clusterMajor(data_dir);
  if (found !== null && found !== identity.major) {
    throw new StoreStartError(
      `The database in ${clusterOf(data_dir)} was made by PostgreSQL ${found} and this build brings ${identity.major}: move the data over with pg_dump, or ${USE_DATABASE_URL} of version ${found}.`,
    );
  }
  if (found !== null) return;
  log('embedded postgres: creating the database (first start)');
  // Made aside and renamed when whole: an interrupted first start leaves nothing that looks like a cluster.
  const fresh = `${clusterOf(data_dir)}.new`;
  await rm(fresh, { recursive: true, force: true });
  const initdb = await run(
    [
      ...[
        ...identity.prefix,
        join(identity.bin_dir, 'initdb'),
        '-D',
        fresh,
        '-U',
        'postgres',
        '-E',
        'UTF8',
        '--locale=C',
      ],
      // Trust reaches no further than the socket's directory, which is mode 700, and no TCP port is open.
      ...['--auth=trust', '--no-sync', '--no-instructions'],
    ],
    identity,
  );
  if (initdb.code !== 0) {
    const why = lastFault(initdb.stderr) || initdb.fault || `exit code ${initdb.code}`;
    throw new StoreStartError(
      `The database in ${data_dir} could not be created (${why}): check that directory's owner and free space, or ${USE_DATABASE_URL}.`,
    );
  }
  await rename(fresh, clusterOf(data_dir));
}

interface Server {
  child: ChildProcess;
  pid: number;
  ended: Promise<{ code: number | null; signal: string | null }>;
  stderr(): string;
}

function spawnServer(
  cluster: string,
  socket_dir: string,
  identity: Identity,
  log: (line: string) => void,
): Server {
  const settings = [
    ...[
      MARK,
      'listen_addresses=',
      'unix_socket_permissions=0700',
      'max_connections=60',
      'shared_buffers=64MB',
      'fsync=on',
    ],
    // /dev/shm of a container holds 64 MB; parallel plans would use it up.
    ...[
      'max_parallel_workers_per_gather=0',
      'jit=off',
      'timezone=UTC',
      'logging_collector=off',
      'log_destination=stderr',
    ],
  ].flatMap((setting) => ['-c', setting]);
  const argv = [
    ...identity.prefix,
    join(identity.bin_dir, 'postgres'),
    '-D',
    cluster,
    '-k',
    socket_dir,
    '-p',
    String(SOCKET_PORT),
    ...settings,
  ];
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
  const ended = new Promise<{ code: number | null; signal: string | null }>((done) => {
    child.once('error', () => done({ code: null, signal: null }));
    child.once('close', (code, signal) => done({ code, signal }));
  });
  return { child, pid: child.pid ?? -1, ended, stderr: () => tail };
}

/** Starts the server and waits until its pid file says that it accepts connections (as pg_ctl does). */
async function launch(
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
    // Backends of a server that was killed a moment ago may still hold its shared memory; they end by themselves.
    if (/pre-existing shared memory block/.test(server.stderr()) && Date.now() < give_up_at) {
      await delay(200);
      continue;
    }
    throw new StoreStartError(
      `The database in ${cluster} did not start (${lastFault(server.stderr())}): repair it, restore it from a backup, or move that directory away to start with an empty database.`,
    );
  }
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one (recovery at the next start); both end the backends too. */
async function endServer(pid: number, ended: () => Promise<boolean>): Promise<void> {
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

function supervise(
  server: Server,
  socket_dir: string,
  unlock: () => Promise<void>,
  onExit?: (end: { code: number | null; signal: string | null }) => void,
): EmbeddedPostgres {
  let stopping: Promise<void> | undefined;
  let over = false;
  // process.exit() without stop(): the server shuts down by itself instead of staying behind.
  const whenWeExit = () => void (over || server.child.kill('SIGINT'));
  process.once('exit', whenWeExit);
  const released = server.ended.then(async (end) => {
    over = true;
    process.removeListener('exit', whenWeExit);
    await removeSocketDir(socket_dir);
    await unlock();
    if (!stopping) onExit?.(end);
  });
  const options = { host: socket_dir, port: SOCKET_PORT, user: 'postgres', database: 'postgres' };
  return {
    url: `postgresql://postgres@localhost:${SOCKET_PORT}/postgres?host=${encodeURIComponent(socket_dir)}`,
    options,
    pid: server.pid,
    stop: () => (stopping ??= over ? released : endServer(server.pid, async () => over).then(() => released)),
  };
}
