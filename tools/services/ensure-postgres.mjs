import { randomBytes } from 'node:crypto';
import { accountOf } from './account.mjs';
import { findBinary } from './binary.mjs';
import { adminByPeer, adminByUrl, createDatabase, databaseUrl, dropDatabase } from './database.mjs';
import { startPostgres } from './postgres.mjs';
import { PROBES } from './probe.mjs';

const STANDARD_PORT = 5432;

/**
 * A database of its own, for a test run: role, password and name are random. On the server of `database_url` if its role may make
 * databases; else, as root, on Debian's running cluster; else on a private server that is started for it.
 * @param {{ database_url?: string, private_server?: boolean }} [options] `private_server`: always start one
 * @returns {Promise<{ url: string, pid: number | null, drop: () => Promise<void>, stop: () => Promise<void> }>} `drop` removes role and
 *   database; `stop` does that and stops the server if it was started here. Both may be called again.
 */
export async function ensurePostgres({
  database_url = process.env.DATABASE_URL,
  private_server = false,
} = {}) {
  const credentials = {
    name: `adaos_${randomBytes(6).toString('hex')}`,
    password: randomBytes(18).toString('hex'),
  };
  const server =
    (!private_server &&
      ((await givenServer(database_url, credentials)) || (await debianServer(credentials)))) ||
    (await ownServer(credentials));
  let dropped;
  const drop = () => (dropped ??= dropDatabase(server.admin, credentials.name));
  return {
    url: server.url,
    pid: server.pid ?? null,
    drop,
    stop: () => drop().finally(() => server.stop?.()),
  };
}

async function givenServer(database_url, credentials) {
  if (!database_url) return null;
  const admin = adminByUrl(database_url);
  const url = new URL(database_url);
  try {
    await createDatabase(admin, credentials);
  } catch {
    await dropDatabase(admin, credentials.name).catch(() => {});
    return null;
  }
  Object.assign(url, {
    username: credentials.name,
    password: credentials.password,
    pathname: `/${credentials.name}`,
  });
  return { admin, url: url.href };
}

/** @returns {import('./database.mjs').Admin | null} */
export function debianAdmin(port = STANDARD_PORT) {
  const account = accountOf('postgres');
  const psql = findBinary('psql');
  return process.getuid?.() === 0 && account && psql ? adminByPeer({ psql, port, account }) : null;
}

async function debianServer(credentials) {
  const admin = debianAdmin();
  if (!admin || (await PROBES.postgres('127.0.0.1', STANDARD_PORT)) !== 'ready') return null;
  try {
    await createDatabase(admin, credentials);
  } catch {
    await dropDatabase(admin, credentials.name).catch(() => {});
    return null;
  }
  return { admin, url: databaseUrl({ port: STANDARD_PORT, ...credentials }) };
}

async function ownServer(credentials) {
  const { admin_url, port, pid, stop } = await startPostgres();
  const admin = adminByUrl(admin_url);
  await createDatabase(admin, credentials).catch((error) => stop().then(() => Promise.reject(error)));
  return { admin, pid, stop, url: databaseUrl({ port, ...credentials }) };
}
