import { describe, expect, test } from '@jest/globals';
import { recordMaker } from './record-maker.suite.js';
import { openOrphans, queryRecords, readChain, type RecordFilter } from './record-query.js';
import { insertRecords, type RecordInput } from './records.js';
import type { StoreBench } from './store.suite.js';

/** Reading the record. */
export function recordQueryCases(bench: StoreBench): void {
  const sql = () => bench.store.sql;
  const { record, many } = recordMaker(bench);

  describe('queryRecords', () => {
    test('one row per event: phases merged, later over earlier, at the place of the first', async () => {
      const zone = bench.id('zone');
      const event_id = bench.id('evt');
      const phase = (name: RecordInput['phase'], status: string | null, body: object) =>
        record({ event_id, phase: name, status, body: JSON.stringify(body) });
      const find = async (filter: object = {}) => (await queryRecords(sql(), { zone, ...filter })).items;
      await insertRecords(sql(), zone, [phase('opened', 'running', { a: 1, b: 1, c: 1 })]);
      expect(await find({ status: 'running' })).toEqual([]);
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

    test('a late outcome alone closes its event, whichever of the two comes first', async () => {
      const zone = bench.id('zone');
      const opened = (event_id: string) =>
        record({ event_id, phase: 'opened', status: null, body: '{"x":"opened","y":1}' });
      const late = (event_id: string) =>
        record({ event_id, phase: 'late', status: 'failed', body: '{"x":"late"}' });
      const [forward, reversed, together] = [bench.id('evt'), bench.id('evt'), bench.id('evt')];
      await insertRecords(sql(), zone, [opened(forward), late(reversed)]);
      await insertRecords(sql(), zone, [late(forward), opened(reversed)]);
      await insertRecords(sql(), zone, [opened(together), late(together)]);
      const { items } = await queryRecords(sql(), { zone });
      expect(items.map((row) => row.event_id)).toEqual([together, reversed, forward]);
      for (const row of items) expect(row).toMatchObject({ status: 'failed', event: { x: 'late', y: 1 } });
      expect((await queryRecords(sql(), { zone, status: 'open' })).items).toEqual([]);
      expect((await queryRecords(sql(), { zone, status: 'failed' })).items).toHaveLength(3);
      const orphans = await openOrphans(sql(), '2100-01-01T00:00:00.000Z');
      expect(orphans.filter((row) => row.zone === zone)).toEqual([]);
    });

    test('an event whose phases went to two zones has a place of its own in each', async () => {
      const [zone, other_zone] = [bench.id('zone'), bench.id('zone')];
      const event_id = bench.id('evt');
      await insertRecords(sql(), other_zone, [...many(3), record({ event_id, phase: 'opened' })]);
      await insertRecords(sql(), zone, [record({ event_id })]);
      expect((await queryRecords(sql(), { zone })).items).toMatchObject([
        { event_id, seq: 1, status: 'succeeded' },
      ]);
      expect((await queryRecords(sql(), { zone: other_zone, event_id })).items).toMatchObject([
        { seq: 4, status: 'open' },
      ]);
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
