import { describe, expect, test } from '@jest/globals';
import type { StoredEvent } from '@adaos/contracts';
import { joinNewest, joinOlder, MAX_EVENTS, putStates, readNewest, type EventPage } from './event-list.js';

const event = (n: number, status = 'succeeded') => ({ event_id: `evt_${n}`, status }) as StoredEvent;
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => event(from - i));
const ids = (list: { events: readonly StoredEvent[] }) => list.events.map((e) => Number(e.event_id.slice(4)));

/** A record of `newest` events in pages of ten, newest first; a cursor is the number of the next one. */
const record = (newest: number) => {
  const reads: (string | null)[] = [];
  const readPage = async (cursor: string | null): Promise<EventPage> => {
    reads.push(cursor);
    const from = cursor === null ? newest : Number(cursor);
    const to = Math.max(1, from - 9);
    return { events: range(from, to), next_cursor: to > 1 ? String(to - 1) : null };
  };
  return { reads, readPage };
};

const load = async (known: Parameters<typeof joinNewest>[0], newest: number, wanted = 1) => {
  const { reads, readPage } = record(newest);
  const have = new Set(known?.events.map((e) => e.event_id));
  const fresh = await readNewest(have, readPage, ({ length }) => length >= wanted);
  return { list: joinNewest(known, fresh), reads };
};

describe('the newest events', () => {
  test('a first load is one page', async () => {
    const { list, reads } = await load(undefined, 35);
    expect([ids(list), list.next_cursor, reads]).toEqual([ids({ events: range(35, 26) }), '25', [null]]);
  });

  test('a first load goes on until there is enough to show, within bounds', async () => {
    const { list, reads } = await load(undefined, 35, 15);
    expect([ids(list), list.next_cursor, reads]).toEqual([
      ids({ events: range(35, 16) }),
      '15',
      [null, '25'],
    ]);
    expect((await load(undefined, 500, 400)).reads.length).toBe(4);
    expect((await load(undefined, 3, 400)).reads.length).toBe(1);
  });

  test('new ones are put in front, and the cursor of the oldest page stays', async () => {
    const { list: first } = await load(undefined, 35);
    const { list, reads } = await load(first, 38);
    expect([ids(list), list.next_cursor, reads.length]).toEqual([ids({ events: range(38, 26) }), '25', 1]);
  });

  test('a burst is read page by page until it joins what is known', async () => {
    const { list: first } = await load(undefined, 35);
    const { list, reads } = await load(first, 60);
    expect([ids(list), list.next_cursor, reads]).toEqual([
      ids({ events: range(60, 26) }),
      '25',
      [null, '50', '40'],
    ]);
  });

  test('what can not be joined replaces the list: it never has a hole', async () => {
    const { list: first } = await load(undefined, 35);
    const { list, reads } = await load(first, 500);
    expect([ids(list), list.next_cursor, reads.length]).toEqual([ids({ events: range(500, 461) }), '460', 4]);
  });

  test('an empty record fills up', async () => {
    const empty = joinNewest(undefined, { events: [], next_cursor: null, joined: true });
    expect(empty).toEqual({ events: [], next_cursor: null });
    expect(ids((await load(empty, 3)).list)).toEqual([3, 2, 1]);
  });

  test('a page that reaches further back than the list brings its own cursor', () => {
    const known = { events: range(12, 11), next_cursor: '10' };
    const list = joinNewest(known, { events: range(13, 4), next_cursor: '3', joined: true });
    expect([ids(list), list.next_cursor]).toEqual([ids({ events: range(13, 4) }), '3']);
  });

  test('a list that grew too long begins anew', () => {
    const known = { events: range(MAX_EVENTS + 1, 1), next_cursor: null };
    const fresh = { events: range(MAX_EVENTS + 2, MAX_EVENTS - 7), next_cursor: '9', joined: true };
    expect(joinNewest(known, fresh)).toEqual({ events: fresh.events, next_cursor: '9' });
  });
});

test('an older page goes behind, without doubles', () => {
  const list = joinOlder(
    { events: range(9, 5), next_cursor: '4' },
    { events: range(5, 1), next_cursor: null },
  );
  expect([ids(list), list.next_cursor]).toEqual([[9, 8, 7, 6, 5, 4, 3, 2, 1], null]);
});

test('a later state takes the place of the earlier one', () => {
  const known = { events: [event(2), event(1, 'open')], next_cursor: null };
  expect(putStates(known, [event(1)]).events).toEqual([event(2), event(1)]);
});
