import { describe, expect, test } from '@jest/globals';
import { GENESIS_HASH, chainHash } from './chain.js';
import { leaseRows } from './leases.js';
import { deadLetters, openOrphans, queryRecords, readChain, type RecordFilter } from './record-query.js';
import { insertRecords, type RecordInput } from './records.js';
import type { StoreBench } from './store.suite.js';

/** The append-only record. */
export function recordCases(bench: StoreBench): void {
  const sql = () => bench.store.sql;
  const record = (over: Partial<RecordInput> = {}): RecordInput => {
    const event_id = over.event_id ?? bench.id('evt');
    const phase = over.phase ?? 'closed';
    return {
      event_id,
      phase,
      event_type: 'tool.call',
      started_at: '2026-05-01T12:00:00.000Z',
      trace_id: 'trace-1',
      request_id: 'req-1',
      actor: 'agent:codex',
      lease_id: null,
      target_id: 'hub:one',
      tool_id: 'hub.get_status',
      subnet_id: 'subnet-1',
      plane_id: 'InfraOpsPlane',
      status: phase === 'opened' ? null : 'succeeded',
      error_code: null,
      side_effect_class: 'none',
      body: JSON.stringify({ event_id, phase, padding: 'x'.repeat(40) }),
      ...over,
    };
  };
  const many = (count: number, over: Partial<RecordInput> = {}) =>
    Array.from({ length: count }, () => record(over));
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
      expect(await insertRecords(sql(), zone, [b, changed, c, b])).toEqual({
        inserted: 2,
        duplicates: 2,
        dead_lettered: 0,
      });
      expect((await wholeChain(zone)).map((link) => link.event_id)).toEqual([
        a.event_id,
        b.event_id,
        c.event_id,
      ]);
      expect((await readChain(sql(), zone, 0, 1))[0]?.body).toBe(a.body);
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

    test('one event raced into two zones is recorded in one of them', async () => {
      const batches = Array.from({ length: 8 }, () => many(5));
      const zones = [bench.id('zone'), bench.id('zone')];
      const outcomes = await Promise.all(
        batches.flatMap((batch) => zones.map((zone) => insertRecords(sql(), zone, batch))),
      );
      expect(outcomes.reduce((sum, outcome) => sum + outcome.inserted, 0)).toBe(40);
      expect(outcomes.reduce((sum, outcome) => sum + outcome.dead_lettered, 0)).toBe(0);
      const lengths = await Promise.all(zones.map((zone) => verify(zone)));
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(40);
    }, 30_000);

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

  describe('queryRecords', () => {
    test('one row per event: phases merged, later over earlier, at the place of the first', async () => {
      const zone = bench.id('zone');
      const event_id = bench.id('evt');
      const phase = (name: RecordInput['phase'], status: string | null, body: object) =>
        record({ event_id, phase: name, status, body: JSON.stringify(body) });
      const find = async (filter: object = {}) => (await queryRecords(sql(), { zone, ...filter })).items;
      await insertRecords(sql(), zone, [phase('opened', null, { a: 1, b: 1, c: 1 })]);
      const newer = record();
      await insertRecords(sql(), zone, [newer]);
      expect(await find({ status: 'open' })).toMatchObject([
        { event_id, status: 'open', seq: 1, event: { a: 1, b: 1, c: 1 } },
      ]);

      await insertRecords(sql(), zone, [phase('closed', 'timed_out', { b: 2, c: 2 })]);
      expect(await find({ status: 'open' })).toEqual([]);
      await insertRecords(sql(), zone, [phase('late', 'succeeded', { c: 3 })]);
      const all = await find();
      expect(all.map((row) => row.event_id)).toEqual([newer.event_id, event_id]);
      expect(all[1]).toMatchObject({ status: 'succeeded', seq: 1, event: { a: 1, b: 2, c: 3 } });
      expect(all[1]?.phases.map((link) => [link.phase, link.seq])).toEqual([
        ['opened', 1],
        ['closed', 3],
        ['late', 4],
      ]);
      expect(all[1]?.phases[0]?.recorded_at).toBe((await readChain(sql(), zone, 0, 1))[0]?.recorded_at);
      expect(await find({ status: 'timed_out' })).toEqual([]);
      expect(await find({ event_id, status: 'succeeded' })).toHaveLength(1);
    });

    test('an outcome that was delivered before its opening still is the outcome', async () => {
      const zone = bench.id('zone');
      const event_id = bench.id('evt');
      await insertRecords(sql(), zone, [record({ event_id, body: '{"x":"closed"}' })]);
      await insertRecords(sql(), zone, [record({ event_id, phase: 'opened', body: '{"x":"opened"}' })]);
      const { items } = await queryRecords(sql(), { zone });
      expect(items).toMatchObject([{ event_id, seq: 1, status: 'succeeded', event: { x: 'closed' } }]);
    });

    test('every filter finds its event and no other', async () => {
      const zone = bench.id('zone');
      const odd = record({
        event_type: 'auth.denied',
        started_at: '2026-05-02T00:00:00.000Z',
        trace_id: bench.id('trace'),
        request_id: bench.id('req'),
        actor: bench.id('actor'),
        lease_id: bench.id('lse'),
        target_id: bench.id('hub'),
        tool_id: bench.id('tool'),
        subnet_id: bench.id('subnet'),
        status: 'denied',
        error_code: 'policy_denied',
      });
      await insertRecords(sql(), zone, [...many(3), odd, ...many(3)]);
      const columns =
        'event_id trace_id request_id actor lease_id target_id subnet_id tool_id status error_code event_type'.split(
          ' ',
        );
      const filters = columns.map((column) => ({ [column]: odd[column as keyof RecordInput] }));
      for (const filter of [
        ...filters,
        { since: '2026-05-01T12:00:00.001Z' },
        { since: '2026-05-02T02:00:00+02:00' },
      ]) {
        const { items } = await queryRecords(sql(), { zone, ...filter } as RecordFilter);
        expect([filter, items.map((row) => row.event_id)]).toEqual([filter, [odd.event_id]]);
      }
      expect((await queryRecords(sql(), { zone, until: '2026-05-02T00:00:00.000Z' })).items).toHaveLength(6);
      expect((await queryRecords(sql(), { zone: bench.id('zone'), event_id: odd.event_id })).items).toEqual(
        [],
      );
      expect((await queryRecords(sql(), { zone, actor: 'x\0' })).items).toEqual([]);
      await expect(queryRecords(sql(), { zone, since: 'yesterday' })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
      await expect(queryRecords(sql(), { zone }, 'W10')).rejects.toMatchObject({ code: 'invalid_argument' });
    });

    test('pages read each event once while others close and come in', async () => {
      const zone = bench.id('zone');
      const batch = [...many(9, { phase: 'opened', status: null })];
      await insertRecords(sql(), zone, batch);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof queryRecords>> = await queryRecords(sql(), { zone }, cursor, 4);
        seen.push(...page.items.map((row) => row.event_id));
        cursor = page.next_cursor;
        const closing = batch.filter((one) => !seen.includes(one.event_id)).slice(0, 2);
        await insertRecords(sql(), zone, [...closing.map(({ event_id }) => record({ event_id })), record()]);
      } while (cursor);
      expect(seen).toEqual(batch.map((one) => one.event_id).reverse());
    });
  });

  test('openOrphans gives what was opened and never closed', async () => {
    const zone = bench.id('zone');
    const [lost, done, late, reversed, together] = Array.from({ length: 5 }, () => bench.id('evt'));
    const opened = (event_id?: string) => record({ event_id, phase: 'opened', status: null });
    await insertRecords(sql(), zone, [record({ event_id: reversed })]);
    await insertRecords(sql(), zone, [lost, done, late, reversed].map(opened));
    await insertRecords(sql(), zone, [
      record({ event_id: done }),
      record({ event_id: late, phase: 'late' }),
      opened(together),
      record({ event_id: together }),
    ]);
    const orphans = async (older_than: string) =>
      (await openOrphans(sql(), older_than)).filter((row) => row.zone === zone);
    expect(await orphans('2100-01-01T00:00:00.000Z')).toEqual([{ ...opened(lost), zone, seq: 2 }]);
    expect(await orphans('2020-01-01T00:00:00.000Z')).toEqual([]);
  });
}
