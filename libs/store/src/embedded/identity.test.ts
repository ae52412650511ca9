import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { chmod, cp, lchown, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../embedded.js';
import { locatePackage } from './binaries.js';
import { canTraverse, chooseIdentity } from './identity.js';
import { embeddedLab, ownerOf, query, refusal, runWithoutNamespaces } from './lab.suite.js';

const lab = embeddedLab();
afterEach(lab.endAll);
afterAll(lab.removeAll);

describe('binaries', () => {
  test('none for the platform, or none that run, name DATABASE_URL', async () => {
    expect(() => locatePackage('win32', 'x64')).toThrow(
      'No embedded PostgreSQL exists for win32-x64: set DATABASE_URL',
    );
    expect(() => locatePackage('darwin', process.platform === 'darwin' ? 'none' : 'arm64')).toThrow(
      'DATABASE_URL',
    );
    const package_dir = await lab.dir();
    expect(await refusal(join(await lab.dir(), 'pg'), { package_dir })).toMatch(
      /^The embedded PostgreSQL can't run on this machine \(ENOENT, as on Alpine .*: set DATABASE_URL/,
    );
  });

  test('missing library links are made, or the refusal says how', async () => {
    const package_dir = await lab.dir();
    const real = locatePackage();
    for (const folder of ['native/bin', 'native/share', 'scripts'])
      await cp(join(real, folder), join(package_dir, folder), { recursive: true });
    await cp(join(real, 'native/pg-symlinks.json'), join(package_dir, 'native/pg-symlinks.json'));
    expect(await refusal(join(package_dir, 'pg'), { package_dir })).toContain(
      'run node scripts/hydrate-symlinks.js in that directory as its owner',
    );

    await mkdir(join(package_dir, 'native/lib'));
    for (const entry of await readdir(join(real, 'native/lib'), { withFileTypes: true })) {
      if (!entry.isSymbolicLink())
        await symlink(join(real, 'native/lib', entry.name), join(package_dir, 'native/lib', entry.name));
    }
    const server = await startEmbeddedPostgres(
      { data_dir: join(package_dir, 'pg'), log: () => {} },
      { package_dir },
    );
    lab.servers.push(server);
    expect([...(await query(server, 'select 1 as one'))]).toEqual([{ one: 1 }]);
  }, 60_000);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

describe('as root', () => {
  asRoot(
    'an open path is handed to nobody, and the server is not root',
    async () => {
      const base = await lab.dir();
      await chmod(base, 0o755);
      const server = await lab.start(join(base, 'pg'));
      expect((await ownerOf(server.options.host)).uid).toBe(65_534);
      expect((await ownerOf(`/proc/${server.pid}`)).uid).toBe(65_534);
      expect([...(await query(server, 'select 1 as one'))]).toEqual([{ one: 1 }]);
    },
    60_000,
  );

  asRoot(
    'the owner of the directory runs it',
    async () => {
      const base = await lab.dir();
      await chmod(base, 0o755);
      const data_dir = join(base, 'pg');
      await mkdir(data_dir);
      await lchown(data_dir, 12_345, 12_345);
      // initdb looks its user up by name; without one the cause is in the sentence.
      expect(await refusal(data_dir)).toContain('could not look up effective user ID 12345');
    },
    60_000,
  );

  asRoot(
    'data moves between a private and an open path, whoever owned it before',
    async () => {
      const base = await lab.dir();
      const data_dir = join(base, 'pg');
      const inside = await lab.start(data_dir);
      await query(inside, 'create table kept as select 3 as answer');
      expect((await ownerOf(inside.options.host)).uid).toBe(0);
      await inside.stop();
      await chmod(base, 0o755);
      const open = await lab.start(data_dir);
      expect((await ownerOf(open.options.host)).uid).toBe(65_534);
      expect([...(await query(open, 'select answer from kept'))]).toEqual([{ answer: 3 }]);
      await open.stop();
      await chmod(base, 0o700);
      expect([...(await query(await lab.start(data_dir), 'select answer from kept'))]).toEqual([
        { answer: 3 },
      ]);
    },
    60_000,
  );

  asRoot(
    'without namespaces, binaries out of reach are copied; a path out of reach is refused',
    async () => {
      const [hidden, base] = [await lab.dir(), await lab.dir()];
      await cp(locatePackage(), hidden, { recursive: true, verbatimSymlinks: true });
      for (const closed of ['native', 'native/bin', 'native/lib']) await chmod(join(hidden, closed), 0o700);
      await chmod(base, 0o755);
      const data_dir = join(base, 'pg');
      await mkdir(data_dir, { mode: 0o755 });
      const run = runWithoutNamespaces;
      const identity = await chooseIdentity({ data_dir, package_dir: hidden, run, log: () => {} });
      expect(identity).toMatchObject({ uid: 65_534, prefix: [], owner_uid: 65_534, major: 18 });
      expect(identity.bin_dir).toMatch(new RegExp(`^${data_dir}/binaries-18\\.[^/]+/native/bin$`));
      await mkdir(join(hidden, 'pg'));
      await expect(
        chooseIdentity({ data_dir: join(hidden, 'pg'), package_dir: hidden, run, log: () => {} }),
      ).rejects.toThrow(/refuses to run as root and user id 65534 can't reach .*: run as an ordinary user/);
    },
    60_000,
  );

  test('canTraverse reads the bits of owner, group and others', async () => {
    const base = await lab.dir();
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
