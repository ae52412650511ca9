import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Bus } from '@adaos/bus';
import { createInProcessBroker, type InProcessBroker } from '@adaos/bus/in-process';
import { AUDIT_STREAM, subjectOf, type OperationalEvent } from '@adaos/contracts';
import { until } from '@adaos/testing';
import { createRecorder, type RecorderOptions } from './recorder.js';

const MAX_PAYLOAD = 2_000;
const event = (n: number, bytes = 0) =>
  ({
    event_id: `evt_${n}`,
    phase: 'closed',
    result_summary: { text: 'x'.repeat(bytes) },
  }) as unknown as OperationalEvent;

describe('recorder: bytes, deadlines, drain', () => {
  let broker: InProcessBroker;
  /** What reached the consumer, and what was handed to the bus with how many milliseconds. */
  let batches: string[][];
  let appended: { ids: string[]; timeout_ms: number }[];
  let logged: object[];

  beforeEach(() => {
    broker = createInProcessBroker({ max_payload: MAX_PAYLOAD });
    batches = [];
    appended = [];
    logged = [];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await broker.close();
  });

  const idsOf = (body: unknown) => (body as { records: OperationalEvent[] }).records.map((r) => r.event_id);
  const consume = () =>
    broker.connect('audit').consume(
      {
        stream: AUDIT_STREAM,
        subjects: [subjectOf('audit_record', '*')],
        durable: 'audit',
        max_batch: 64,
      },
      async (batch) => void batches.push(...batch.map(({ body }) => idsOf(body))),
    );

  /** The real bus, its appends noted and held until `gate` opens; its limit can shrink as after a reconnect to another broker. */
  function recorder(options: Partial<RecorderOptions> = {}) {
    const real = broker.connect('router');
    const bus_state = { limit: MAX_PAYLOAD, gate: Promise.resolve() };
    const append: Bus['append'] = async (subject, body, given) => {
      appended.push({ ids: idsOf(body), timeout_ms: given.timeout_ms });
      await bus_state.gate;
      return real.append(subject, body, given);
    };
    const bus = Object.create(real, {
      append: { value: append },
      max_payload: { get: () => bus_state.limit },
    }) as Bus;
    const log = { error: (fields: object) => void logged.push(fields) } as unknown as RecorderOptions['log'];
    return { bus_state, r: createRecorder({ bus, source: 'router', log, ...options }) };
  }
  const codeOf = (done: Promise<void>) =>
    done.then(
      () => 'durable',
      (error: { code: string; details: unknown }) => [error.code, error.details],
    );
  const TOO_LARGE = ['audit_unavailable', { reason: 'too_large' }];

  test('batches are cut by bytes: many large records all get through', async () => {
    await consume();
    const { r } = recorder();
    const all = Array.from({ length: 20 }, (_, n) => event(n, 400 + n));
    expect(new Set(await Promise.all(all.map((e) => codeOf(r.record(e)))))).toEqual(new Set(['durable']));
    expect(batches.flat()).toEqual(all.map((e) => e.event_id));
    expect(Math.max(...batches.map((b) => b.length))).toBeGreaterThan(1);
  });

  test('a batch that fills the bus to the byte is sent', async () => {
    await consume();
    const { r } = recorder();
    const around = Buffer.byteLength(JSON.stringify({ records: [event(1)] })) + 1;
    expect(await codeOf(r.record(event(1, MAX_PAYLOAD - around)))).toBe('durable');
    expect(await codeOf(r.record(event(1, MAX_PAYLOAD - around + 1)))).toEqual(TOO_LARGE);
  });

  test('a record that alone is too large fails alone and is told to the log', async () => {
    await consume();
    const { r } = recorder();
    const answers = await Promise.all([event(1), event(2, 5_000), event(3)].map((e) => codeOf(r.record(e))));
    expect(answers).toEqual(['durable', TOO_LARGE, 'durable']);
    expect(logged).toMatchObject([{ event_id: 'evt_2', phase: 'closed' }]);
    expect(JSON.stringify(logged)).not.toContain('xxx');
  });

  test('the spool takes no record that can never be written', async () => {
    const { r } = recorder({ timeout_ms: 20 });
    expect(r.spool(event(1, 5_000))).toBe(false);
    expect(await codeOf(r.recordOrSpool(event(1, 5_000)))).toEqual(TOO_LARGE);
    expect(r.spool(event(2))).toBe(true);
    expect(await codeOf(r.recordOrSpool(event(3, 5_000)))).toEqual(TOO_LARGE);
    expect(r.waiting).toBe(1);
  });

  test('a spooled record that became too large is dropped, and those behind it are written', async () => {
    const { r, bus_state } = recorder({ timeout_ms: 20 });
    await r.recordOrSpool(event(1, 1_000));
    await r.recordOrSpool(event(2));
    bus_state.limit = 500;
    await until('the drop', () => logged.length || undefined);
    await consume();
    await until('the spool to drain', () => r.waiting === 0 || undefined);
    expect(new Set(batches.flat())).toEqual(new Set(['evt_2']));
    expect(logged).toMatchObject([{ event_id: 'evt_1' }]);
  });

  test('the deadline runs from the hand-over: who waited past it is refused unsent, who has time left gets no more than that', async () => {
    await consume();
    const { r, bus_state } = recorder({ timeout_ms: 3_000 });
    let open = () => {};
    bus_state.gate = new Promise((resolve) => (open = resolve));
    const began = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(began);
    const first = codeOf(r.record(event(1)));
    const second = codeOf(r.record(event(2)));
    now.mockReturnValue(began + 2_000);
    const third = codeOf(r.record(event(3)));
    now.mockReturnValue(began + 3_000);
    open();
    expect(await first).toBe('durable');
    expect(await second).toEqual(['audit_unavailable', { reason: 'deadline_exceeded' }]);
    expect(await third).toBe('durable');
    expect(appended).toEqual([
      { ids: ['evt_1'], timeout_ms: 3_000 },
      { ids: ['evt_3'], timeout_ms: 2_000 },
    ]);
  });

  test('drain waits for the batch on its way, the queue and the spool', async () => {
    const { r, bus_state } = recorder();
    let open = () => {};
    bus_state.gate = new Promise((resolve) => (open = resolve));
    const records = [r.record(event(1)), r.record(event(2))];
    r.spool(event(3));
    let drained = false;
    const draining = r.drain(5_000).then(() => (drained = true));
    await consume();
    await new Promise((resolve) => setImmediate(resolve));
    expect(drained).toBe(false);
    open();
    await draining;
    expect(batches.flat()).toEqual(['evt_1', 'evt_2', 'evt_3']);
    await Promise.all(records);
    expect(logged).toEqual([]);
  });

  test('drain is bounded and says what it leaves', async () => {
    const { r } = recorder({ timeout_ms: 10 });
    r.spool(event(1));
    await r.drain(40);
    expect(logged).toEqual([{ records: 1 }]);
  });

  test('with nothing to write a drain is over at once', async () => {
    await recorder().r.drain(60_000);
    expect(appended).toEqual([]);
  });
});
