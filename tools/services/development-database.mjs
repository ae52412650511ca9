import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminByUrl, createDatabase, databaseUrl } from './database.mjs';
import { debianAdmin } from './ensure-postgres.mjs';
import { ServiceError } from './service-error.mjs';
import { servicesDir, startedBefore } from './started.mjs';

/** Role and database of the split topology on a developer's machine. */
const NAME = 'adaos';
/** What deploy/compose/services.yaml starts: a server for this machine only. */
const CONTAINER_ADMIN = 'postgres://postgres:development@127.0.0.1:5432/postgres';

/**
 * A URL that opens: DATABASE_URL, or else that of role and database `adaos`, kept in `database-url` (mode 0600). Role and database are
 * made where they are missing. Throws ServiceError when there is no way to make them.
 */
export async function developmentDatabase(port, env = process.env) {
  const dir = servicesDir(env);
  const file = join(dir, 'database-url');
  const known = env.DATABASE_URL || (existsSync(file) ? readFileSync(file, 'utf8').trim() : null);
  if (known && (await opens(known))) return known;
  const admin = adminOf(dir, port);
  if (!admin)
    throw new ServiceError(
      env.DATABASE_URL
        ? 'DATABASE_URL does not open a database there.'
        : 'without root no database can be made on a server that was not started here: set DATABASE_URL.',
    );
  if (env.DATABASE_URL) {
    const { username, password, pathname } = new URL(env.DATABASE_URL);
    await makeOrMend(admin, { name: username, password, database: pathname.slice(1) });
    return env.DATABASE_URL;
  }
  const wanted = { name: NAME, password: randomBytes(18).toString('hex'), database: NAME };
  await makeOrMend(admin, wanted);
  const url = databaseUrl({ port, ...wanted });
  mkdirSync(dir, { recursive: true });
  writeFileSync(file, `${url}\n`, { mode: 0o600 });
  return url;
}

/** A role or a database that is there already stays; the role gets the password wanted. */
async function makeOrMend(admin, wanted) {
  try {
    await createDatabase(admin, wanted);
  } catch (error) {
    const { name, password, database } = wanted;
    if (!/already exists/.test(error.message)) throw error;
    await admin([`ALTER ROLE ${name} PASSWORD '${password}'`]);
    await admin([`CREATE DATABASE ${database} OWNER ${name} TEMPLATE template0`]).catch((again) => {
      if (!/already exists/.test(again.message)) throw again;
    });
  }
}

function adminOf(dir, port) {
  const started = startedBefore(dir, 'postgres');
  if (started?.kind === 'container') return adminByUrl(CONTAINER_ADMIN);
  const secret = join(dir, 'postgres', 'admin-password');
  if (started && existsSync(secret))
    return adminByUrl(`postgres://postgres:${readFileSync(secret, 'utf8')}@127.0.0.1:${port}/postgres`);
  return debianAdmin(port);
}

async function opens(url) {
  const { default: postgres } = await import('postgres');
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 2 });
  }
}
