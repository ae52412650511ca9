import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectStore } from './connect.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.js';
import { locatePackage } from './embedded/binaries.js';
import { alive, embeddedLab, gone, ownerOf, query, refusal } from './embedded/lab.suite.js';

const lab = embeddedLab();
afterEach(lab.endAll);
afterAll(lab.removeAll);

describe('startEmbeddedPostgres', () => {
  test('creates a private durable server, keeps its data over a restart, and ends on stop', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    const first = await lab.start(data_dir);
    const [settings] = await query(
      first,
      `select current_setting('fsync') as fsync, current_setting('listen_addresses') as tcp, current_setting('server_encoding') as encoding,
         (select datcollate from pg_database where datname = current_database()) as locale`,
    );
    expect(settings).toEqual({ fsync: 'on', tcp: '', encoding: 'UTF8', locale: 'C' });
    expect((await stat(first.options.host)).mode & 0o777).toBe(0o700);
    await query(first, `create table kept as select 42 as answer`);
    await Promise.all([first.stop(), first.stop()]);
    expect(await alive(first.pid)).toBe(false);
    const second = await lab.start(data_dir);
    expect(second.pid).not.toBe(first.pid);
    expect([...(await query(second, 'select answer from kept'))]).toEqual([{ answer: 42 }]);
    expect(first.log.join('\n')).toContain('creating the database (first start)');
    expect(second.log.join('\n')).not.toContain('creating the database');
  }, 60_000);

  test('a server that is killed is reported, and the next start recovers what was committed', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    let told: (end: unknown) => void = () => {};
    const ended = new Promise((done) => (told = done));
    const first = await lab.start(data_dir, (end) => told(end));
    await query(first, `create table kept as select 7 as answer`);
    process.kill(first.pid, 'SIGKILL');
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
    const second = await lab.start(data_dir);
    expect([...(await query(second, 'select answer from kept'))]).toEqual([{ answer: 7 }]);
  }, 60_000);

  test('backends that outlive their killed server are waited for', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    const first = await lab.start(data_dir);
    const { host, port, user, database } = first.options;
    const session = connectStore({
      options: { host, port, user, database },
      schema: 'public',
      max: 1,
      application_name: 'case',
      statement_timeout_ms: 5_000,
    });
    const [backend] = await session.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    process.kill(backend!.pid, 'SIGSTOP');
    process.kill(first.pid, 'SIGKILL');
    await first.stop();
    const log: string[] = [];
    const second = startEmbeddedPostgres({
      data_dir,
      log: (line) => {
        log.push(line);
        // The server has seen it: now it may end.
        if (line.includes('pre-existing shared memory block')) process.kill(backend!.pid, 'SIGCONT');
      },
    });
    lab.servers.push(await second);
    await session.close();
    expect(log.join('\n')).toContain('pre-existing shared memory block');
    expect([...(await query(await second, 'select 1 as one'))]).toEqual([{ one: 1 }]);
  }, 60_000);

  (process.platform === 'linux' ? test : test.skip)(
    'Ctrl-C in our terminal does not reach the server',
    async () => {
      const server = await lab.start(join(await lab.dir(), 'pg'));
      const fields = (await readFile(`/proc/${server.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ');
      expect(fields?.[2]).toBe(String(server.pid));
    },
    60_000,
  );

  test('onExit may start the next server at once, and an ordered stop is not reported', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    const exits: unknown[] = [];
    let restarted: (server: EmbeddedPostgres) => void = () => {};
    const second = new Promise<EmbeddedPostgres>((done) => (restarted = done));
    const first = await lab.start(
      data_dir,
      () => void lab.start(data_dir, (end) => exits.push(end)).then(restarted),
    );
    process.kill(first.pid, 'SIGKILL');
    await (await second).stop();
    expect(exits).toEqual([]);
  }, 60_000);

  test('a stale pid file whose pid now is somebody else does not stop it', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    const first = await lab.start(data_dir);
    process.kill(first.pid, 'SIGKILL');
    await gone(first.pid);
    await first.stop();
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      ...(process.getuid?.() === 0 && (await ownerOf(join(data_dir, 'cluster')))),
    });
    lab.children.push(bystander);
    const pid_file = join(data_dir, 'cluster', 'postmaster.pid');
    const lines = (await readFile(pid_file, 'utf8')).split('\n');
    await writeFile(pid_file, [bystander.pid, ...lines.slice(1)].join('\n'));
    expect([...(await query(await lab.start(data_dir), 'select 1 as one'))]).toEqual([{ one: 1 }]);
    expect(await alive(bystander.pid)).toBe(true);
  }, 60_000);

  test('a path that is too long for a socket, or that its setting would split, gets a short private one', async () => {
    for (const name of ['long'.repeat(30), 'a, "b" c']) {
      const server = await lab.start(join(await lab.dir(), name));
      expect(server.options.host).toMatch(/\/adaos-pg-\w{6}$/);
      expect((await stat(server.options.host)).mode & 0o777).toBe(0o700);
      expect([...(await query(server, 'select 1 as one'))]).toEqual([{ one: 1 }]);
      await server.stop();
      await expect(stat(server.options.host)).rejects.toMatchObject({ code: 'ENOENT' });
    }
  }, 60_000);
});

describe('who owns the data directory', () => {
  test('a second launcher is turned away and the first goes on', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    const first = await lab.startElsewhere(data_dir);
    expect(await refusal(data_dir)).toContain(
      `is already in use by process ${first.child.pid}: stop that process`,
    );
    expect([...(await query(first, 'select 1 as one'))]).toEqual([{ one: 1 }]);
    const own = join(await lab.dir(), 'pg');
    const mine = await lab.start(own);
    expect(await refusal(own)).toContain(`is already in use by process ${process.pid}`);
    expect(await alive(mine.pid)).toBe(true);
  }, 60_000);

  test('two launchers at the same moment: one starts', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    const outcomes = await Promise.allSettled([
      lab.start(data_dir),
      lab.start(data_dir),
      lab.start(data_dir),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  }, 60_000);

  test('the server of a launcher that was killed is stopped and its data taken over', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    const first = await lab.startElsewhere(data_dir);
    await query(first, `create table kept as select 9 as answer`);
    first.child.kill('SIGKILL');
    await gone(first.child.pid);
    expect(await alive(first.pid)).toBe(true);
    const second = await lab.start(data_dir);
    expect(second.log.join('\n')).toContain(
      `stopping the server ${first.pid} that a killed process left behind`,
    );
    expect(await alive(first.pid)).toBe(false);
    expect([...(await query(second, 'select answer from kept'))]).toEqual([{ answer: 9 }]);
  }, 60_000);

  test('a lock whose holder is dead does not count, though its pid lives again', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    await mkdir(data_dir);
    await writeFile(
      join(data_dir, 'launcher.lock'),
      JSON.stringify({ pid: process.ppid, started: 'long ago' }),
    );
    expect([...(await query(await lab.start(data_dir), 'select 1 as one'))]).toEqual([{ one: 1 }]);
    expect((await readdir(data_dir)).sort()).toEqual(['cluster', 'launcher.lock']);
  }, 60_000);

  test('a zombie counts as dead', async () => {
    const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    lab.children.push(parent);
    for await (const line of createInterface({ input: parent.stdout })) {
      await gone(Number(line));
      // It is still there for whoever asks the kernel alone.
      expect(process.kill(Number(line), 0)).toBe(true);
      break;
    }
  });

  test('a server that somebody else runs on the files is left alone', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    await (await lab.start(data_dir)).stop();
    const cluster = join(data_dir, 'cluster');
    const ids = process.getuid?.() === 0 ? await ownerOf(cluster) : {};
    const prefix =
      'uid' in ids && ids.uid === 0 ? ['unshare', '-U', '--map-user=65534', '--map-group=65534'] : [];
    const argv = [
      ...prefix,
      join(locatePackage(), 'native/bin/postgres'),
      '-D',
      cluster,
      '-k',
      cluster,
      '-c',
      'listen_addresses=',
    ];
    const foreign = spawn(String(argv[0]), argv.slice(1), {
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      ...ids,
    });
    lab.children.push(foreign);
    for await (const line of createInterface({ input: foreign.stderr }))
      if (line.includes('ready to accept')) break;
    foreign.stderr.resume();
    expect(await refusal(data_dir)).toContain(`Another PostgreSQL server (process ${foreign.pid}`);
    expect(await alive(foreign.pid)).toBe(true);
    foreign.kill('SIGINT');
    await gone(foreign.pid);
  }, 60_000);
});

describe('a data directory that is no good', () => {
  test('a file in its place, or above it', async () => {
    const file = join(await lab.dir(), 'file');
    await writeFile(file, 'mine');
    expect(await refusal(file)).toBe(
      `${file} can't be the data directory, because a file is in its place: move it away or choose another directory.`,
    );
    expect(await refusal(join(file, 'below'))).toContain('because a file is in its place');
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test('somebody else’s cluster, garbage, another major version', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    await mkdir(data_dir);
    await writeFile(join(data_dir, 'PG_VERSION'), '18\n');
    expect(await refusal(data_dir)).toContain('is itself a PostgreSQL cluster made by something else');
    await rm(join(data_dir, 'PG_VERSION'));

    const cluster = join(data_dir, 'cluster');
    await writeFile(cluster, '');
    expect(await refusal(data_dir)).toContain(
      `${cluster} are damaged (a file is in its place): restore them`,
    );
    await rm(cluster);
    await mkdir(cluster);
    await writeFile(join(cluster, 'base'), '');
    expect(await refusal(data_dir)).toContain('damaged (PG_VERSION is missing)');
    await writeFile(join(cluster, 'PG_VERSION'), '\0garbage');
    expect(await refusal(data_dir)).toContain('damaged (PG_VERSION is unreadable)');
    await writeFile(join(cluster, 'PG_VERSION'), '12\n');
    expect(await refusal(data_dir)).toMatch(
      /was made by PostgreSQL 12 and this build brings 18: .*DATABASE_URL/,
    );
    await writeFile(join(cluster, 'PG_VERSION'), '18\n');
    expect(await refusal(data_dir)).toMatch(/did not start \(.+\): repair it, restore it from a backup/);
    expect((await readdir(cluster)).sort()).toEqual(['PG_VERSION', 'base']);
  }, 60_000);

  test('not writable', async () => {
    // Neither root nor anybody else can write there.
    expect(await refusal('/proc/self/pg')).toMatch(
      /^The data directory \/proc\/self\/pg can't be written \(E\w+\)/,
    );
  });

  test('an interrupted first start leaves nothing that counts as a cluster', async () => {
    const data_dir = join(await lab.dir(), 'pg');
    await mkdir(join(data_dir, 'cluster.new'), { recursive: true });
    await writeFile(join(data_dir, 'cluster.new', 'PG_VERSION'), '18\n');
    expect([...(await query(await lab.start(data_dir), 'select 1 as one'))]).toEqual([{ one: 1 }]);
  }, 60_000);
});
