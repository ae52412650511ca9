import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { connectStore } from './connect.js';
import { MIGRATIONS, migrate } from './migrate.js';
import type { StoreBench } from './store.suite.js';

const NAMES = MIGRATIONS.map(({ name }) => name);

/** Schema and connection. */
export function migrateCases(bench: StoreBench): void {
  const fresh = () => bench.connect({ schema: `test_${randomBytes(6).toString('hex')}`, max: 2 });

  describe('migrate', () => {
    test('applies every migration once, also when several processes start together', async () => {
      const first = fresh();
      const rivals = [first, ...[1, 2, 3].map(() => bench.connect({ schema: first.schema, max: 1 }))];
      const applied = await Promise.all(rivals.map(({ sql }) => migrate(sql, first.schema)));
      expect(applied.flat().sort()).toEqual(NAMES);
      expect(await migrate(first.sql, first.schema)).toEqual([]);
      const recorded = await first.sql<
        { name: string; checksum: string }[]
      >`select name, checksum from schema_migrations order by name`;
      expect(recorded.map((row) => row.name)).toEqual(NAMES);
      expect(recorded[0]?.checksum).toMatch(/^[0-9a-f]{64}$/);
    });

    test('goes on from where an older build stopped', async () => {
      const { sql, schema } = fresh();
      expect(await migrate(sql, schema, MIGRATIONS.slice(0, 2))).toEqual(NAMES.slice(0, 2));
      expect(await migrate(sql, schema)).toEqual(NAMES.slice(2));
    });

    test('refuses an edited migration', async () => {
      const { sql, schema } = fresh();
      await migrate(sql, schema);
      const edited = MIGRATIONS.map((one) =>
        one.name === '0002_operators' ? { ...one, up: () => 'select 1' } : one,
      );
      await expect(migrate(sql, schema, edited)).rejects.toMatchObject({
        name: 'StoreStartError',
        message: expect.stringContaining(
          'The migration 0002_operators differs from the one that made the schema',
        ),
      });
    });

    test('refuses a database that is newer than the build', async () => {
      const { sql, schema } = fresh();
      await migrate(sql, schema);
      await expect(migrate(sql, schema, MIGRATIONS.slice(0, 3))).rejects.toMatchObject({
        name: 'StoreStartError',
        message: expect.stringContaining(`has the migration ${NAMES.at(-1)}, which this build does not know`),
      });
    });

    test('a failing migration leaves nothing of itself and says why', async () => {
      const { sql, schema } = fresh();
      const broken = [
        { name: '0001_broken', up: () => 'create table half (a int); select no_such_function()' },
      ];
      await expect(migrate(sql, schema, broken)).rejects.toMatchObject({
        name: 'StoreStartError',
        message: expect.stringContaining('42883'),
      });
      expect(await sql`select 1 from information_schema.tables where table_schema = ${schema}`).toHaveLength(
        0,
      );
    });
  });

  describe('connectStore', () => {
    const options = { schema: 'zone', max: 1, application_name: 'case', statement_timeout_ms: 200 };

    test('answers times, big integers, arrays and its own schema without a mapping layer', async () => {
      const [row] = await bench.store.sql`
        select '2026-02-03 04:05:06.7+00'::timestamptz as tenth, '2026-02-03 04:05:06+02'::timestamptz as whole,
          9007199254740991::bigint as safe, 9007199254740993::bigint as unsafe, array['a', 'b,"c'] as list, current_schema() as schema`;
      expect(row).toEqual({
        tenth: '2026-02-03T04:05:06.700Z',
        whole: '2026-02-03T02:05:06.000Z',
        safe: 9007199254740991,
        unsafe: '9007199254740993',
        list: ['a', 'b,"c'],
        schema: bench.store.schema,
      });
    });

    test('refuses schema names that could reach further than a name', () => {
      for (const schema of ['', 'Zone', '1zone', 'zone"; drop schema public', 'zöne', 'z'.repeat(64)]) {
        expect(() => connectStore({ ...options, url: bench.url, schema })).toThrow('is no schema name');
      }
      expect(() => connectStore({ ...options, url: 'not a url' })).toThrow('DATABASE_URL is not a URL');
      expect(() => connectStore({ ...options, url: 'mysql://h/d' })).toThrow(
        'DATABASE_URL starts with mysql://',
      );
    });

    test('pings, and says so when the database is away', async () => {
      expect(await bench.store.ping()).toBeGreaterThan(0);
      const away = bench.connect({ url: 'postgres://postgres@127.0.0.1:1/postgres' });
      const failure = {
        code: 'dependency_unavailable',
        details: { dependency: 'database' },
        cause: { code: 'ECONNREFUSED' },
      };
      await expect(away.ping()).rejects.toMatchObject(failure);
      await expect(away.sql`select 1`).rejects.toMatchObject(failure);
      await expect(away.sql.begin((tx) => tx`select 1`)).rejects.toMatchObject(failure);
      await expect(away.sql.unsafe('select 1')).rejects.toMatchObject(failure);
      await expect(away.sql.reserve()).rejects.toMatchObject(failure);
    });

    test('a proxy that accepts and hangs up counts as away, instead of a loop without end', async () => {
      let calls = 0;
      const proxy = createServer((socket) => {
        calls += 1;
        socket.on('error', () => {});
        socket.resume().end();
      });
      await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
      const { port } = proxy.address() as { port: number };
      const away = bench.connect({ url: `postgres://postgres@127.0.0.1:${port}/postgres`, max: 1 });
      await expect(away.sql`select 1`).rejects.toMatchObject({ code: 'dependency_unavailable' });
      expect(calls).toBe(1);
      await new Promise((done) => proxy.close(done));
    });

    test('a statement that takes too long is cut off; a broken rule stays the error it is', async () => {
      const hasty = bench.connect({ statement_timeout_ms: 50, max: 1 });
      await expect(hasty.sql`select pg_sleep(10)`).rejects.toMatchObject({
        code: 'dependency_unavailable',
        cause: { code: '57014' },
      });
      await expect(hasty.sql`select 1/0`).rejects.toMatchObject({ name: 'PostgresError', code: '22012' });
      const nested = hasty.sql.begin((tx) => tx.savepoint((inner) => inner`select pg_sleep(10)`));
      await expect(nested).rejects.toMatchObject({ code: 'dependency_unavailable' });
      expect(await hasty.sql`select 1 as one`).toEqual([{ one: 1 }]);
    });
  });
}
