// A role and a database on a PostgreSQL server, made over whatever admin access there is.
import { spawn } from 'node:child_process';
import { ServiceError } from './service-error.mjs';

/** @typedef {(statements: string[]) => Promise<void>} Admin runs statements outside of a transaction */

/** Admin access by a URL whose role may create roles and databases. @returns {Admin} */
export const adminByUrl = (url) => async (statements) => {
  const { default: postgres } = await import('postgres');
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    for (const statement of statements) await sql.unsafe(statement);
  } catch (error) {
    throw new ServiceError(`the role of the database URL can't make roles and databases: ${error.message}`);
  } finally {
    await sql.end({ timeout: 2 });
  }
};

/** Admin access as Debian's cluster gives it to its own account: psql over the Unix socket under that account. @returns {Admin} */
export const adminByPeer =
  ({ psql, port, account }) =>
  async (statements) => {
    const args = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-p', String(port), '-d', 'postgres'];
    const env = { ...process.env, PGHOST: '', PGUSER: 'postgres', PGPASSWORD: '' };
    const child = spawn(psql, args, { stdio: ['pipe', 'ignore', 'pipe'], cwd: '/', env, ...account });
    let told = '';
    child.stderr.on('data', (data) => (told += data));
    // By standard input: an argument would show the password to everybody on the machine.
    child.stdin.end(statements.map((statement) => `${statement};\n`).join(''));
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    if (code !== 0) throw new ServiceError(`psql: ${told.trim().split('\n')[0] || `exit code ${code}`}`);
  };

/** Names and passwords of our making go into SQL as they are: nothing else may. */
const plain = (word) => {
  if (!/^[a-z0-9_]{1,60}$/.test(word)) throw new TypeError('not a plain word');
  return word;
};

/** Makes a role and a database that belongs to it. They must not be there yet. */
export const createDatabase = (admin, { name, password, database = name }) =>
  admin([
    `CREATE ROLE ${plain(name)} LOGIN PASSWORD '${plain(password)}'`,
    // Not our superuser's, but a role with CREATEROLE alone must be a member to give a database away.
    `GRANT ${plain(name)} TO CURRENT_USER`,
    `CREATE DATABASE ${plain(database)} OWNER ${plain(name)} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
  ]);

/** Removes both, with whatever is still connected. */
export const dropDatabase = (admin, name) =>
  admin([`DROP DATABASE IF EXISTS ${plain(name)} WITH (FORCE)`, `DROP ROLE IF EXISTS ${plain(name)}`]);

export const databaseUrl = ({ host = '127.0.0.1', port, name, password }) =>
  `postgres://${plain(name)}:${plain(password)}@${host}:${port}/${name}`;
