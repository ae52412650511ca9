import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Grant, OperationalEvent } from '@adaos/contracts';
import { createMemoryLimits, type Limits } from '@adaos/limits';
import { silentLog } from '@adaos/runtime';
import { countingIds, testClock, type TestClock } from '@adaos/testing';
import { draftEvent } from './draft.js';
import { createRefusalTally, type RefusalTally } from './refusal-tally.js';
import { createRefusals, type Refusals } from './refusals.js';

const BOUNDS = { recorded: 3, heard: 10, recorded_in_zone: 5 };
const ids = countingIds();
let clock: TestClock;
let limits: Limits;
let tally: RefusalTally;
let refusals: Refusals;
let written: OperationalEvent[];
let record_away: boolean;

beforeEach(() => {
  clock = testClock();
  limits = createMemoryLimits();
  written = [];
  record_away = false;
  const recorder = {
    recordOrSpool: async (event: OperationalEvent) => {
      if (record_away) throw new Error('away');
      written.push(event);
    },
  };
  tally = createRefusalTally({ zone: 'local', clock, ids, log: silentLog, recorder });
  refusals = createRefusals({ limits, now: clock.now, tally }, BOUNDS);
});

const eventOf = (address: string, code: string, over: Partial<OperationalEvent> = {}): OperationalEvent => {
  const client = { name: 'c', version: '1', via: 'mcp', address } as const;
  const draft = draftEvent({ zone: 'local', clock, ids }, 'auth.denied', { client });
  return { ...draft.close('denied', { code: code as 'unauthenticated', message: '' }), ...over };
};
const fail = (address: string, code = 'unauthenticated') => refusals.records(eventOf(address, code));
const deny = (lease_id: string, over: Partial<OperationalEvent> = {}) =>
  refusals.records(
    eventOf('203.0.113.9', 'environment_forbidden', {
      event_type: 'tool.call',
      lease_id,
      actor: `a:${lease_id}`,
      ...over,
    }),
  );
const times = async (count: number, work: () => Promise<boolean>) => {
  const answers = [];
  for (let i = 0; i < count; i++) answers.push(await work());
  return answers.filter(Boolean).length;
};
const asker = (address: string, bearer_digest: string | null = null) => ({
  bearer_digest,
  client: { address },
});
const heard = (work: () => void): unknown => {
  try {
    work();
    return 'heard';
  } catch (error) {
    const { code, details } = error as { code: string; details: Record<string, unknown> };
    return { code, ...details };
  }
};
const grant = (grant_id: string) => ({ grant_id }) as Grant;

describe('bad bearers of one address', () => {
  test('a few have events, the rest are counted in one a minute: the sum is right', async () => {
    expect(await times(8, () => fail('203.0.113.1'))).toBe(3);
    await fail('203.0.113.1', 'lease_expired');
    clock.advance(60_000);
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject({
      event_type: 'auth.denied.counted',
      status: 'denied',
      actor: null,
      lease_id: null,
      error: { code: 'rate_limited' },
      result_summary: { refused: 6, codes: { unauthenticated: 5, lease_expired: 1 } },
      client: { address: '203.0.113.1' },
      started_at: '2026-01-01T00:00:00.000Z',
      finished_at: '2026-01-01T00:01:00.000Z',
    });
    clock.advance(60_000);
    expect(written).toHaveLength(1);
  });

  test('past the bound nothing of it is looked at, and its neighbours are', async () => {
    await times(9, () => fail('203.0.113.1'));
    expect(heard(() => refusals.beforeBearer(asker('203.0.113.1')))).toBe('heard');
    await times(2, () => fail('203.0.113.1'));
    expect(heard(() => refusals.beforeBearer(asker('203.0.113.1')))).toEqual({
      code: 'rate_limited',
      scope: 'address',
      retry_after_ms: expect.any(Number),
    });
    expect(heard(() => refusals.beforeBearer(asker('203.0.113.2')))).toBe('heard');
    // A flood goes on being counted without any hop.
    await times(1_000, () => fail('203.0.113.1', 'rate_limited'));
    clock.advance(60_001);
    expect(heard(() => refusals.beforeBearer(asker('203.0.113.1')))).toBe('heard');
    expect(written[0]!.result_summary).toEqual({
      refused: 1_008,
      codes: { unauthenticated: 8, rate_limited: 1_000 },
    });
  });

  test('a bearer that was good before is heard at a loud address', async () => {
    refusals.afterBearer(asker('203.0.113.1', 'good'), grant('lse_1'));
    await times(20, () => fail('203.0.113.1'));
    expect(heard(() => refusals.beforeBearer(asker('203.0.113.1', 'good')))).toBe('heard');
    expect(heard(() => refusals.beforeBearer(asker('203.0.113.1', 'new')))).toMatchObject({
      code: 'rate_limited',
    });
  });

  test('one IPv6 network is one address', async () => {
    expect((await times(5, () => fail('2001:db8::1'))) + (await times(5, () => fail('2001:db8::2')))).toBe(3);
  });

  test('a flood from everywhere is bounded for the zone, with one summary for those beyond 200', async () => {
    let recorded = 0;
    for (let i = 0; i < 500; i++) if (await fail(`198.51.${i >> 8}.${i & 255}`)) recorded++;
    expect(recorded).toBe(5);
    clock.advance(60_000);
    expect(written).toHaveLength(201);
    const refused = written.map((event) => event.result_summary!['refused'] as number);
    expect(refused.reduce((sum, n) => sum + n, 0)).toBe(495);
    expect(written.at(-1)!.client).toMatchObject({ address: 'many' });
  });

  test('what fails because a part is away is counted, and heard again at once', async () => {
    const away = () =>
      refusals.records(
        eventOf('203.0.113.1', 'dependency_unavailable', { event_type: 'tool.call', status: 'failed' }),
      );
    expect(await times(50, away)).toBe(3);
    expect(heard(() => refusals.beforeBearer(asker('203.0.113.1')))).toBe('heard');
  });
});

describe('refused calls of one credential', () => {
  test('recorded, counted, then not heard; another replica on the same counters agrees', async () => {
    const other = createRefusals({ limits, now: clock.now, tally }, BOUNDS);
    expect(await times(2, () => deny('lse_1'))).toBe(2);
    const there = eventOf('', 'forbidden', { event_type: 'tool.call', lease_id: 'lse_1', actor: 'a:lse_1' });
    expect(await times(2, () => other.records(there))).toBe(1);
    await times(8, () => deny('lse_1'));
    await other.records(there);
    for (const replica of [refusals, other])
      expect(heard(() => replica.afterBearer(asker('', 'd'), grant('lse_1')))).toMatchObject({
        code: 'rate_limited',
        scope: 'credential',
      });
    expect(heard(() => refusals.afterBearer(asker('', 'e'), grant('lse_2')))).toBe('heard');
    clock.advance(60_000);
    expect(written.map(({ event_type, actor, lease_id }) => ({ event_type, actor, lease_id }))).toEqual([
      { event_type: 'call.denied.counted', actor: 'a:lse_1', lease_id: 'lse_1' },
    ]);
  });

  test('what succeeds or fails on the hub is no refusal', async () => {
    expect(await times(50, () => deny('lse_1', { status: 'succeeded', error: null }))).toBe(50);
    expect(await times(50, () => deny('lse_1', { status: 'failed' }))).toBe(50);
    clock.advance(60_000);
    expect(written).toEqual([]);
  });
});

test('what can not be recorded stays counted; a stop writes the rest', async () => {
  record_away = true;
  await times(10, () => fail('203.0.113.1'));
  await tally.flush();
  expect(written).toEqual([]);
  record_away = false;
  await times(5, () => fail('203.0.113.1'));
  await tally.stop();
  expect(written.map((event) => event.result_summary)).toEqual([
    { refused: 12, codes: { unauthenticated: 12 } },
  ]);
});
