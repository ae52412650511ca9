import { describe, expect, test } from '@jest/globals';
import { GENESIS_HASH, chainHash } from './chain.js';
import { leaseRows } from './leases.js';
import { recordMaker } from './record-maker.suite.js';
import { deadLetters, queryRecords, readChain } from './record-query.js';
import { insertRecords } from './records.js';
import type { StoreBench } from './store.suite.js';
import { until } from './until.suite.js';

/** Appending to the record. */
export function recordCases(bench: StoreBench): void {
  const sql = () => bench.store.sql;
  const { record, many } = recordMaker(bench);
  const wholeChain = async (zone: string) => {
    const links = [];
    for (let after = 0; ; after = links.at(-1)?.seq ?? 0) {
      const page = await readChain(sql(), zone, after, 300);
      links.push(...page);
      if (page.length < 300) return links;
    }
  };
  /** Checks every link against the definition, and answers how many there are. */
  const verify = async (zone: string) => {
    let prev_hash = GENESIS_HASH;
    const links = await wholeChain(zone);
    links.forEach((link, index) => {
      expect(link.seq).toBe(index + 1);
      expect(link.prev_hash).toBe(prev_hash);
      expect(link.hash).toBe(chainHash(prev_hash, link.body, link.seq));
      prev_hash = link.hash;
    });
    return links.length;
  };

  describe('insertRecords', () => {
    test('a batch of 1000 lands in order, whole, and only once', async () => {
      const zone = bench.id('zone');
      const batch = many(1000);
      expect(await insertRecords(sql(), zone, batch)).toEqual({
        inserted: 1000,
        duplicates: 0,
        dead_lettered: 0,
      });
      expect(await insertRecords(sql(), zone, batch)).toEqual({
        inserted: 0,
        duplicates: 1000,
        dead_lettered: 0,
      });
      expect((await wholeChain(zone)).map((link) => link.body)).toEqual(batch.map((one) => one.body));
      expect(await verify(zone)).toBe(1000);
    }, 30_000);

    test('a half known batch adds the new half without a gap, and its own doubles once', async () => {
      const zone = bench.id('zone');
      const [a, b, c] = [record(), record(), record()];
      await insertRecords(sql(), zone, [a]);
      const changed = { ...a, body: '{"forged":true}' };
      expect(await insertRecords(sql(), zone, [b, changed, c, { ...b, body: '{"second":true}' }])).toEqual({
        inserted: 2,
        duplicates: 2,
        dead_lettered: 0,
      });
      expect((await wholeChain(zone)).map((link) => link.event_id)).toEqual([
        a.event_id,
        b.event_id,
        c.event_id,
      ]);
      expect((await readChain(sql(), zone, 0, 2)).map((link) => link.body)).toEqual([a.body, b.body]);
      expect(await insertRecords(sql(), bench.id('zone'), [a])).toEqual({
        inserted: 0,
        duplicates: 1,
        dead_lettered: 0,
      });
      expect(await insertRecords(sql(), zone, [])).toEqual({ inserted: 0, duplicates: 0, dead_lettered: 0 });
      expect(await verify(zone)).toBe(3);
    });

    test('a poisoned record goes to the dead letters and the rest lands', async () => {
      const zone = bench.id('zone');
      const batch = many(37);
      const [bad_time, bad_body, bad_phase] = [bench.id('evt'), bench.id('evt'), bench.id('evt')];
      batch.splice(20, 0, record({ event_id: bad_time, started_at: 'yesterday-ish' }));
      batch.splice(
        5,
        0,
        record({ event_id: bad_body, body: 'no json \0' }),
        record({ event_id: bad_phase, phase: 'open' as never }),
      );
      const bad_type = record({ started_at: undefined as never });
      batch.splice(30, 0, bad_type);
      expect(await insertRecords(sql(), zone, batch)).toEqual({
        inserted: 37,
        duplicates: 0,
        dead_lettered: 4,
      });
      expect(await verify(zone)).toBe(37);
      const letters = await deadLetters(sql(), 100);
      const reasonOf = (event_id: string) =>
        letters.find((letter) => letter.reason.includes(event_id))?.reason;
      expect(reasonOf(bad_time)).toMatch(/^22007 invalid input syntax for type timestamp.*\(closed evt_/);
      expect(reasonOf(bad_body)).toMatch(/^22/);
      expect(reasonOf(bad_type.event_id)).toMatch(/^a required field is no text/);
      expect(reasonOf(bad_phase)).toMatch(/^23514 /);
      expect(letters.find((letter) => letter.reason.includes(bad_body))?.body).toBe('no json \ufffd');
    });

    test('NUL, broken surrogates and endless text in searched columns break nothing, and the body stays byte for byte', async () => {
      const zone = bench.id('zone');
      const actor = `a\0b\ud800${'\u{1f600}'.repeat(5_000)}`;
      const body = JSON.stringify({ actor, note: '\0 \ud800' });
      const { event_id } = record();
      expect(await insertRecords(sql(), zone, [record({ event_id, actor, body })])).toMatchObject({
        inserted: 1,
      });
      const [link] = await readChain(sql(), zone, 0, 1);
      expect(link?.body).toBe(body);
      const { items } = await queryRecords(sql(), { zone, event_id });
      expect(items[0]?.actor?.slice(0, 4)).toBe('a\ufffdb\ufffd');
      expect(items[0]?.actor?.length).toBe(512);
      expect(items[0]?.event).toEqual(JSON.parse(body));
    });

    test('four writers at once keep one chain', async () => {
      const zone = bench.id('zone');
      const shared = many(10);
      const writers = Array.from({ length: 4 }, () => bench.connect({ max: 2 }));
      const outcomes = await Promise.all(
        writers.flatMap((writer) =>
          Array.from({ length: 5 }, () => insertRecords(writer.sql, zone, [...many(20), ...shared])),
        ),
      );
      expect(outcomes.reduce((sum, outcome) => sum + outcome.inserted, 0)).toBe(410);
      expect(outcomes.reduce((sum, outcome) => sum + outcome.duplicates, 0)).toBe(190);
      expect(await verify(zone)).toBe(410);
    }, 30_000);

    test('an event that another zone is just recording is a duplicate, no dead letter', async () => {
      const [zone, other_zone] = [bench.id('zone'), bench.id('zone')];
      const one = record();
      const rival = bench.connect({ max: 1 });
      let landing: ReturnType<typeof insertRecords> | undefined;
      await bench.store.sql.begin(async (tx) => {
        await tx`
          insert into event_records (zone, seq, event_seq, event_id, phase, event_type, started_at, body, prev_hash, hash)
          values (${other_zone}, 1, 1, ${one.event_id}, 'closed', 'tool.call', now(), '{}', '', '')`;
        landing = insertRecords(rival.sql, zone, [one]);
        // Until the rival stands in line for our uncommitted key.
        await until(async () => {
          const waiting =
            await sql()`select 1 from pg_stat_activity where wait_event = 'transactionid' and query like ${'%event_records%'}`;
          return waiting.length > 0;
        });
      });
      expect(await landing).toEqual({ inserted: 0, duplicates: 1, dead_lettered: 0 });
      expect(await verify(zone)).toBe(0);
    });

    test('use of a lease is counted once, however often the batch is delivered', async () => {
      const zone = bench.id('zone');
      const lease_id = bench.id('lse');
      const at = (started_at: string, tool_id: string) => record({ lease_id, started_at, tool_id });
      const batch = [
        at('2026-05-01T12:00:02.000Z', 'hub.get_logs'),
        at('2026-05-01T12:00:01.000Z', 'hub.get_status'),
        record({ lease_id, phase: 'opened' }),
        record({ lease_id, event_type: 'auth.denied' }),
      ];
      await Promise.all([1, 2, 3].map(() => insertRecords(sql(), zone, batch)));
      await insertRecords(sql(), zone, [at('2026-05-01T12:00:00.000Z', 'hub.deploy_ref')]);
      expect(await leaseRows(sql()).usage([lease_id, 'lse_none'])).toEqual([
        {
          session_id: lease_id,
          use_count: 3,
          last_used_at: '2026-05-01T12:00:02.000Z',
          last_tool_id: 'hub.get_logs',
        },
      ]);
    });

    test('nobody edits or deletes a record', async () => {
      const zone = bench.id('zone');
      await insertRecords(sql(), zone, many(1));
      const refused = { code: '42501', message: 'event_records is append-only' };
      await expect(sql()`update event_records set body = '{}' where zone = ${zone}`).rejects.toMatchObject(
        refused,
      );
      await expect(sql()`delete from event_records where zone = ${zone}`).rejects.toMatchObject(refused);
      await expect(sql()`truncate event_records`).rejects.toMatchObject(refused);
      expect(await verify(zone)).toBe(1);
    });
  });
}
