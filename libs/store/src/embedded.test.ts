import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectStore } from './connect.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.js';
import { locatePackage } from './embedded/binaries.js';
import { canTraverse, chooseIdentity } from './embedded/identity.js';
import type { Run } from './embedded/process.js';

const here = dirname(fileURLToPath(import.meta.url));
const bundle = join(here, '..', 'dist', `launcher-${process.pid}.mjs`);
const bases: string[] = [];
const servers: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

const dir = async (): Promise<string> => {
  const base = await mkdtemp(join(tmpdir(), 'store-embedded-'));
  bases.push(base);
  return base;
};
const start = async (data_dir: string, onExit?: (end: { code: number | null; signal: string | null }) => void) => {
  const log: string[] = [];
  const server = await startEmbeddedPostgres({ data_dir, log: (line) => log.push(line), onExit });
  servers.push(server);
  return { ...server, log };
};
const query = async (server: { url: string }, text: string) => {
  const store = connectStore({ url: server.url, schema: 'public', max: 1, application_name: 'case', statement_timeout_ms: 5_000 });
  return store.sql.unsafe(text).finally(() => store.close());
};
const refusal = async (data_dir: string): Promise<string> => {
  const error = await startEmbeddedPostgres({ data_dir, log: () => {} }).then(
    () => new Error('it started'),
    (reason: Error) => reason,
  );
  expect(error.name).toBe('StoreStartError');
  // One sentence: no line break, one full stop at the end.
  expect(error.message).toMatch(/^[^\n]+\.$/);
  return error.message;
};
const alive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const gone = async (pid: number) => {
  for (const until = Date.now() + 10_000; alive(pid); await new Promise(setImmediate)) {
    if (Date.now() > until) throw new Error(`process ${pid} does not end`);
  }
};

/** A launcher in a process of its own, as the zone is; answers once its server runs. */
const launchElsewhere = async (data_dir: string): Promise<{ child: ChildProcess; url: string; pid: number }> => {
  await build({ entryPoints: [join(here, 'embedded.ts')], bundle: true, platform: 'node', format: 'esm', outfile: bundle });
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(bundle)};
    const { url, pid } = await startEmbeddedPostgres({ data_dir: process.argv[1], log: () => {} });
    console.log(JSON.stringify({ url, pid }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, data_dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    return { child, ...(JSON.parse(line) as { url: string; pid: number }) };
  }
  throw new Error('the launcher ended');
};

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await Promise.all([...bases, bundle].map((path) => rm(path, { recursive: true, force: true })));
});

describe('startEmbeddedPostgres', () => {
  test('creates a private durable server, keeps its data over a restart, and ends on stop', async () => {
    const data_dir = join(await dir(), 'pg');
    const first = await start(data_dir);
    const [settings] = await query(
      first,
      `select current_setting('fsync') as fsync, current_setting('listen_addresses') as tcp, current_setting('server_encoding') as encoding,
         (select datcollate from pg_database where datname = current_database()) as locale`,
    );
    expect(settings).toEqual({ fsync: 'on', tcp: '', encoding: 'UTF8', locale: 'C' });
    expect((await stat(first.options.host)).mode & 0o777).toBe(0o700);
    await query(first, `create table kept as select 42 as answer`);
    await Promise.all([first.stop(), first.stop()]);
    expect(alive(first.pid)).toBe(false);
    const second = await start(data_dir);
    expect(second.pid).not.toBe(first.pid);
    expect([...(await query(second, 'select answer from kept'))]).toEqual([{ answer: 42 }]);
    expect(first.log.join('\n')).toContain('creating the database (first start)');
    expect(second.log.join('\n')).not.toContain('creating the database');
  }, 60_000);

  test('a server that is killed is reported, and the next start recovers what was committed', async () => {
    const data_dir = join(await dir(), 'pg');
    let told: (end: unknown) => void = () => {};
    const ended = new Promise((done) => (told = done));
    const first = await start(data_dir, (end) => told(end));
    await query(first, `create table kept as select 7 as answer`);
    process.kill(first.pid, 'SIGKILL');
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
    const second = await start(data_dir);
    expect([...(await query(second, 'select answer from kept'))]).toEqual([{ answer: 7 }]);
  }, 60_000);

  test('onExit may start the next server at once, and an ordered stop is not reported', async () => {
    const data_dir = join(await dir(), 'pg');
    const exits: unknown[] = [];
    let restarted: (server: EmbeddedPostgres) => void = () => {};
    const second = new Promise<EmbeddedPostgres>((done) => (restarted = done));
    const first = await start(data_dir, () => void start(data_dir, (end) => exits.push(end)).then(restarted));
    process.kill(first.pid, 'SIGKILL');
    await (await second).stop();
    expect(exits).toEqual([]);
  }, 60_000);

  test('a stale pid file whose pid now is somebody else does not stop it', async () => {
    const data_dir = join(await dir(), 'pg');
    const first = await start(data_dir);
    process.kill(first.pid, 'SIGKILL');
    await gone(first.pid);
    await first.stop();
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      ...(process.getuid?.() === 0 && (await ownerOf(join(data_dir, 'cluster')))),
    });
    children.push(bystander);
    const pid_file = join(data_dir, 'cluster', 'postmaster.pid');
    const lines = (await readFile(pid_file, 'utf8')).split('\n');
    await writeFile(pid_file, [bystander.pid, ...lines.slice(1)].join('\n'));
    expect([...(await query(await start(data_dir), 'select 1 as one'))]).toEqual([{ one: 1 }]);
    expect(alive(bystander.pid as number)).toBe(true);
  }, 60_000);

  test('a long or odd path gets a short private socket directory, which goes with the server', async () => {
    const data_dir = join(await dir(), `a, "b" ${'long'.repeat(30)}`);
    const server = await start(data_dir);
    expect(server.options.host).toMatch(/\/adaos-pg-\w{6}$/);
    expect((await stat(server.options.host)).mode & 0o777).toBe(0o700);
    expect([...(await query(server, 'select 1 as one'))]).toEqual([{ one: 1 }]);
    await server.stop();
    await expect(stat(server.options.host)).rejects.toMatchObject({ code: 'ENOENT' });
  }, 60_000);
});

describe('who owns the data directory', () => {
  test('a second launcher is turned away and the first goes on', async () => {
    const data_dir = join(await dir(), 'pg');
    const first = await launchElsewhere(data_dir);
    expect(await refusal(data_dir)).toContain(`is already in use by process ${first.child.pid}: stop that process`);
    expect([...(await query(first, 'select 1 as one'))]).toEqual([{ one: 1 }]);
    const own = join(await dir(), 'pg');
    const mine = await start(own);
    expect(await refusal(own)).toContain(`is already in use by process ${process.pid}`);
    expect(alive(mine.pid)).toBe(true);
  }, 60_000);

  test('two launchers at the same moment: one starts', async () => {
    const data_dir = join(await dir(), 'pg');
    const outcomes = await Promise.allSettled([start(data_dir), start(data_dir), start(data_dir)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  }, 60_000);

  test('the server of a launcher that was killed is stopped and its data taken over', async () => {
    const data_dir = join(await dir(), 'pg');
    const first = await launchElsewhere(data_dir);
    await query(first, `create table kept as select 9 as answer`);
    first.child.kill('SIGKILL');
    await gone(first.child.pid as number);
    expect(alive(first.pid)).toBe(true);
    const second = await start(data_dir);
    expect(second.log.join('\n')).toContain(`stopping the server ${first.pid} that a killed process left behind`);
    expect(alive(first.pid)).toBe(false);
    expect([...(await query(second, 'select answer from kept'))]).toEqual([{ answer: 9 }]);
  }, 60_000);

  test('a server that somebody else runs on the files is left alone', async () => {
    const data_dir = join(await dir(), 'pg');
    await (await start(data_dir)).stop();
    const cluster = join(data_dir, 'cluster');
    const ids = process.getuid?.() === 0 ? await ownerOf(cluster) : {};
    const prefix = 'uid' in ids && ids.uid === 0 ? ['unshare', '-U', '--map-user=65534', '--map-group=65534'] : [];
    const argv = [...prefix, join(locatePackage(), 'native/bin/postgres'), '-D', cluster, '-k', cluster, '-c', 'listen_addresses='];
    const foreign = spawn(String(argv[0]), argv.slice(1), { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], ...ids });
    children.push(foreign);
    for await (const line of createInterface({ input: foreign.stderr })) if (line.includes('ready to accept')) break;
    foreign.stderr.resume();
    expect(await refusal(data_dir)).toContain(`Another PostgreSQL server (process ${foreign.pid}`);
    expect(alive(foreign.pid as number)).toBe(true);
    foreign.kill('SIGINT');
    await gone(foreign.pid as number);
  }, 60_000);
});

describe('a data directory that is no good', () => {
  test('a file in its place, or above it', async () => {
    const file = join(await dir(), 'file');
    await writeFile(file, 'mine');
    expect(await refusal(file)).toBe(
      `${file} can't be the data directory, because a file is in its place: move it away or choose another directory.`,
    );
    expect(await refusal(join(file, 'below'))).toContain('because a file is in its place');
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test('somebody else’s cluster, garbage, another major version', async () => {
    const data_dir = join(await dir(), 'pg');
    await mkdir(data_dir);
    await writeFile(join(data_dir, 'PG_VERSION'), '18\n');
    expect(await refusal(data_dir)).toContain('is itself a PostgreSQL cluster made by something else');
    await rm(join(data_dir, 'PG_VERSION'));

    const cluster = join(data_dir, 'cluster');
    await writeFile(cluster, '');
    expect(await refusal(data_dir)).toContain(`${cluster} are damaged (a file is in its place): restore them`);
    await rm(cluster);
    await mkdir(cluster);
    await writeFile(join(cluster, 'base'), '');
    expect(await refusal(data_dir)).toContain('damaged (PG_VERSION is missing)');
    await writeFile(join(cluster, 'PG_VERSION'), '\0garbage');
    expect(await refusal(data_dir)).toContain('damaged (PG_VERSION is unreadable)');
    await writeFile(join(cluster, 'PG_VERSION'), '12\n');
    expect(await refusal(data_dir)).toMatch(/was made by PostgreSQL 12 and this build brings 18: .*DATABASE_URL/);
    await writeFile(join(cluster, 'PG_VERSION'), '18\n');
    expect(await refusal(data_dir)).toMatch(/did not start \(.+\): repair it, restore it from a backup/);
    expect((await readdir(cluster)).sort()).toEqual(['PG_VERSION', 'base']);
  }, 60_000);

  test('not writable', async () => {
    // Neither root nor anybody else can write there.
    expect(await refusal('/proc/self/pg')).toMatch(/^The data directory \/proc\/self\/pg can't be written \(E\w+\)/);
  });

  test('an interrupted first start leaves nothing that counts as a cluster', async () => {
    const data_dir = join(await dir(), 'pg');
    await mkdir(join(data_dir, 'cluster.new'), { recursive: true });
    await writeFile(join(data_dir, 'cluster.new', 'PG_VERSION'), '18\n');
    expect([...(await query(await start(data_dir), 'select 1 as one'))]).toEqual([{ one: 1 }]);
  }, 60_000);
});

describe('binaries', () => {
  test('none for the platform, or none that run, name DATABASE_URL', async () => {
    expect(() => locatePackage('win32', 'x64')).toThrow('No embedded PostgreSQL exists for win32-x64: set DATABASE_URL');
    expect(() => locatePackage('darwin', process.platform === 'darwin' ? 'none' : 'arm64')).toThrow('DATABASE_URL');
    const package_dir = await dir();
    const failed = startEmbeddedPostgres({ data_dir: join(await dir(), 'pg'), log: () => {} }, { package_dir });
    await expect(failed).rejects.toMatchObject({ name: 'StoreStartError', message: expect.stringMatching(/can't run on this machine.*set DATABASE_URL/) });
  });

  test('missing library links are made, or the refusal says how', async () => {
    const package_dir = await dir();
    const real = locatePackage();
    for (const folder of ['native/bin', 'native/share', 'scripts']) await cp(join(real, folder), join(package_dir, folder), { recursive: true });
    await cp(join(real, 'native/pg-symlinks.json'), join(package_dir, 'native/pg-symlinks.json'));
    const attempt = () => startEmbeddedPostgres({ data_dir: join(package_dir, 'pg'), log: () => {} }, { package_dir });
    await expect(attempt()).rejects.toThrow('run node scripts/hydrate-symlinks.js in that directory as its owner');

    await mkdir(join(package_dir, 'native/lib'));
    for (const entry of await readdir(join(real, 'native/lib'), { withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await symlink(join(real, 'native/lib', entry.name), join(package_dir, 'native/lib', entry.name));
    }
    const server = await attempt();
    servers.push(server);
    expect([...(await query(server, 'select 1 as one'))]).toEqual([{ one: 1 }]);
  }, 60_000);
});

const ownerOf = async (path: string) => stat(path).then(({ uid, gid }) => ({ uid, gid }));
const asRoot = process.getuid?.() === 0 ? test : test.skip;

describe('as root', () => {
  asRoot('an open path is handed to nobody, and the server is not root', async () => {
    const base = await dir();
    await chmod(base, 0o755);
    const server = await start(join(base, 'pg'));
    expect((await ownerOf(server.options.host)).uid).toBe(65_534);
    expect((await ownerOf(`/proc/${server.pid}`)).uid).toBe(65_534);
    expect([...(await query(server, 'select 1 as one'))]).toEqual([{ one: 1 }]);
  }, 60_000);

  asRoot('the owner of the directory runs it', async () => {
    const base = await dir();
    await chmod(base, 0o755);
    const data_dir = join(base, 'pg');
    await mkdir(data_dir);
    const { lchown } = await import('node:fs/promises');
    await lchown(data_dir, 12_345, 12_345);
    // initdb looks its user up by name; without one the cause is in the sentence.
    expect(await refusal(data_dir)).toContain('could not look up effective user ID 12345');
  }, 60_000);

  asRoot('data moves between a private and an open path, whoever owned it before', async () => {
    const base = await dir();
    const data_dir = join(base, 'pg');
    const inside = await start(data_dir);
    await query(inside, 'create table kept as select 3 as answer');
    expect((await ownerOf(inside.options.host)).uid).toBe(0);
    await inside.stop();
    await chmod(base, 0o755);
    const open = await start(data_dir);
    expect((await ownerOf(open.options.host)).uid).toBe(65_534);
    expect([...(await query(open, 'select answer from kept'))]).toEqual([{ answer: 3 }]);
    await open.stop();
    await chmod(base, 0o700);
    expect([...(await query(await start(data_dir), 'select answer from kept'))]).toEqual([{ answer: 3 }]);
  }, 60_000);

  asRoot('without namespaces, binaries out of reach are copied; a path out of reach is refused', async () => {
    const [hidden, base] = [await dir(), await dir()];
    await cp(locatePackage(), hidden, { recursive: true, verbatimSymlinks: true });
    await chmod(base, 0o755);
    const data_dir = join(base, 'pg');
    await mkdir(data_dir, { mode: 0o755 });
    const run = noNamespaces();
    const identity = await chooseIdentity({ data_dir, package_dir: hidden, run, log: () => {} });
    expect(identity).toMatchObject({ uid: 65_534, prefix: [], owner_uid: 65_534, major: 18 });
    expect(identity.bin_dir).toMatch(new RegExp(`^${data_dir}/binaries-18\\.[^/]+/native/bin$`));
    const refused = chooseIdentity({ data_dir: join(hidden, 'pg', '..'), package_dir: hidden, run, log: () => {} });
    await expect(refused).resolves.toMatchObject({ uid: 65_534 });
    await mkdir(join(hidden, 'pg'));
    await expect(chooseIdentity({ data_dir: join(hidden, 'pg'), package_dir: hidden, run, log: () => {} })).rejects.toThrow(
      /refuses to run as root and user id 65534 can't reach .*: run as an ordinary user/,
    );
  }, 60_000);

  test('canTraverse reads the bits of owner, group and others', async () => {
    const base = await dir();
    const { uid, gid } = await ownerOf(base);
    const stranger = { uid: uid + 1, gid: gid + 1 };
    expect(await canTraverse(base, stranger)).toBe(false);
    expect(await canTraverse(base, { uid, gid })).toBe(true);
    await chmod(base, 0o710);
    expect(await canTraverse(base, { uid: uid + 1, gid })).toBe(true);
    expect(await canTraverse(base, stranger)).toBe(false);
    await chmod(base, 0o711);
    expect(await canTraverse(base, stranger)).toBe(true);
  });
});

/** Runs commands for real, except that user namespaces are forbidden, as they are in many containers. */
function noNamespaces(): Run {
  return (argv, options = {}) =>
    new Promise((done) => {
      if (argv[0] === 'unshare') return done({ code: 1, stdout: '', stderr: 'unshare: unshare failed: Operation not permitted' });
      let stdout = '';
      const child = spawn(String(argv[0]), argv.slice(1), { cwd: '/', ...options });
      child.stdout.on('data', (chunk) => (stdout += String(chunk)));
      child.once('error', (error: NodeJS.ErrnoException) => done({ code: null, stdout, stderr: '', fault: error.code }));
      child.once('close', (code) => done({ code, stdout, stderr: '' }));
    });
}
