import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
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
import { processFacts } from './embedded/process.js';
import {
  SERVER_MARK,
  endServer,
  lastFault,
  launch,
  run,
  type Server,
  type ServerEnd,
} from './embedded/server.js';
import { StoreStartError, codeOf } from './start-error.js';

export interface EmbeddedPostgres {
  /** libpq form, `postgresql://postgres@localhost/postgres?host=<socket directory>`: for connectStore and for psql. */
  url: string;
  /** The same for drivers that take options. */
  options: { host: string; port: number; user: string; database: string };
  pid: number;
  /** Fast shutdown; immediate after 10 s; kill after 5 more. Safe to call twice. */
  stop(): Promise<void>;
}

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
    onExit?: (end: ServerEnd) => void;
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
  const is_ours = is_server && facts?.command.includes(SERVER_MARK);
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
  // Trust reaches no further than the socket's directory, which is mode 700; no TCP port is open.
  const flags = [
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--auth=trust',
    '--no-sync',
    '--no-instructions',
  ];
  const program = [...identity.prefix, join(identity.bin_dir, 'initdb')];
  const initdb = await run([...program, '-D', fresh, ...flags], identity);
  if (initdb.code !== 0) {
    const why = lastFault(initdb.stderr) || initdb.fault || `exit code ${initdb.code}`;
    throw new StoreStartError(
      `The database in ${data_dir} could not be created (${why}): check that directory's owner and free space, or ${USE_DATABASE_URL}.`,
    );
  }
  await rename(fresh, clusterOf(data_dir));
}

function supervise(
  server: Server,
  socket_dir: string,
  unlock: () => Promise<void>,
  onExit?: (end: ServerEnd) => void,
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
