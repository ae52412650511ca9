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
 * The URL the services are given on this machine: DATABASE_URL as it is; else that of role and database `adaos`, made at the first
 * time and kept in `database-url` (mode 0600). Throws ServiceError when there is no way to make them.
 */
export async function developmentDatabase(port, env = process.env) {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  const dir = servicesDir(env);
  const file = join(dir, 'database-url');
  if (existsSync(file)) {
    const url = readFileSync(file, 'utf8').trim();
    if (await opens(url)) return url;
  }
  const admin = adminOf(dir, port);
  if (!admin)
    throw new ServiceError(
      'The PostgreSQL that answers was not started here, and only root can make a database on it without being told how: set DATABASE_URL.',
    );
  const password = randomBytes(18).toString('hex');
  await createDatabase(admin, { name: NAME, password }).catch(async (error) => {
    // They are there, with a password that was lost: ours to set, the data stays.
    if (!/already exists/.test(error.message)) throw error;
    await admin([`ALTER ROLE ${NAME} PASSWORD '${password}'`]);
    await admin([`CREATE DATABASE ${NAME} OWNER ${NAME} TEMPLATE template0`]).catch((other) => {
      if (!/already exists/.test(other.message)) throw other;
    });
  });
  const url = databaseUrl({ port, name: NAME, password });
  mkdirSync(dir, { recursive: true });
  writeFileSync(file, `${url}\n`, { mode: 0o600 });
  return url;
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
  const sql = postgres(url, { max: 1, connect_timeout: 5 });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 2 });
  }
}

