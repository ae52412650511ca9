import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { findBinary, findPostgresBin } from './binary.mjs';
import { PROBES } from './probe.mjs';
import { startTimeOf } from './process.mjs';
import { ensurePostgres, ServiceError, startNats, startPostgres, startRedis } from './servers.mjs';

const with_nats = findBinary('nats-server') ? test : test.skip;
const with_redis = findBinary('redis-server') ? test : test.skip;
const with_postgres = findPostgresBin() ? test : test.skip;

const cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
const kept = (server) => (cleanups.push(() => server.stop()), server);
const temporaryDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'services-test-'));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

describe('startNats', () => {
  with_nats('runs with JetStream on a port of its own and leaves nothing behind', async () => {
    const server = kept(await startNats());
    expect(await PROBES.nats('127.0.0.1', server.port)).toBe('ready');
    expect(startTimeOf(server.pid)).toMatch(/./);
    await server.stop();
    expect(await PROBES.nats('127.0.0.1', server.port)).toBe('absent');
    expect(startTimeOf(server.pid)).toBeNull();
    expect(existsSync(server.dir)).toBe(false);
  });

  with_nats(
    'takes a configuration with passwords from the environment and keeps a given directory',
    async () => {
      const dir = temporaryDir();
      const config_text = 'port: 4222\nauthorization { users: [ { user: "a", password: $A_PASSWORD } ] }\n';
      const server = kept(await startNats({ dir, config_text, env: { A_PASSWORD: 'pw-1' } }));
      const { connect } = await import('@nats-io/transport-node');
      const open = (pass) => connect({ servers: server.url, user: 'a', pass, reconnect: false });
      await (await open('pw-1')).close();
      await expect(open('pw-2')).rejects.toThrow(/authorization/i);
      await server.stop();
      expect(existsSync(join(dir, 'jetstream'))).toBe(true);
    },
  );

  with_nats('tells what the server said when it does not start', async () => {
    const started = startNats({ config_text: 'port: [' });
    await expect(started).rejects.toThrow(ServiceError);
    await expect(started).rejects.toThrow(/^nats did not start: .*Parse error on line/);
  });
});

with_redis('startRedis: answers, and keeps nothing', async () => {
  const server = kept(await startRedis());
  expect(await PROBES.redis('127.0.0.1', server.port)).toBe('ready');
  await server.stop();
  expect(existsSync(server.dir)).toBe(false);
});

with_redis('a port that is taken is refused, not taken for ours', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  cleanups.push(() => other.close());
  const { port } = other.address();
  await expect(startRedis({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is taken already`);
});

with_postgres('startPostgres: a given directory keeps the data and the password', async () => {
  const dir = temporaryDir();
  // A temporary directory is closed to the account the server runs under.
  await import('node:fs').then((fs) => fs.chmodSync(dir, 0o755));
  const rows = async (url, statement) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    return sql.unsafe(statement).finally(() => sql.end());
  };
  const first = kept(await startPostgres({ dir }));
  await rows(first.admin_url, 'create table t as select 7 as n');
  await first.stop();
  const second = kept(await startPostgres({ dir }));
  expect([...(await rows(second.admin_url, 'select n from t'))]).toEqual([{ n: 7 }]);
});

describe.each([
  ['the server found', {}],
  ['a private server', { private_server: true }],
])('ensurePostgres on %s', (_name, options) => {
  with_postgres('gives a database of its own, and takes it back', async () => {
    const database = kept(await ensurePostgres(options));
    const sql = postgres(database.url, { max: 1, onnotice: () => {} });
    cleanups.push(() => sql.end({ timeout: 1 }));
    const [row] =
      await sql`select current_user = current_database() as same, usesuper from pg_user where usename = current_user`;
    expect(row).toEqual({ same: true, usesuper: false });
    await sql`create schema adaos`;
    await database.drop();
    await expect(postgres(database.url, { max: 1, connect_timeout: 2 })`select 1`).rejects.toThrow();
  });
});
