import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createInProcessBroker, type InProcessBroker } from '@adaos/bus/in-process';
import type { Subscription } from '@adaos/bus';
import { AUDIT_STREAM, subjectOf, type OperationalEvent } from '@adaos/contracts';
import { until } from '@adaos/testing';
import { createRecorder } from './recorder.js';

const event = (n: number) => ({ event_id: `evt_${n}`, phase: 'closed' }) as OperationalEvent;

describe('recorder', () => {
  let broker: InProcessBroker;
  let batches: string[][];
  let consumed: Subscription | undefined;

  beforeEach(() => {
    broker = createInProcessBroker();
    batches = [];
    consumed = undefined;
  });
  afterEach(() => broker.close());

  const consume = async (fail: () => boolean = () => false) => {
    const options = {
      stream: AUDIT_STREAM,
      subjects: [subjectOf('audit_record', '*')],
      durable: 'audit',
      max_batch: 64,
    };
    consumed = await broker.connect('audit').consume(options, async (batch) => {
      if (fail()) throw new Error('store is down');
      for (const { body } of batch)
        batches.push((body as { records: OperationalEvent[] }).records.map((r) => r.event_id));
    });
  };
  const recorder = (timeout_ms = 3_000, max_waiting = 10_000) =>
    createRecorder({ bus: broker.connect('router'), source: 'router', timeout_ms, max_waiting });
  const codeOf = (done: Promise<void>) =>
    done.then(
      () => 'durable',
      (error: { code: string; details: unknown }) => [error.code, error.details],
    );

  test('resolves once the consumer has committed, and batches what waits', async () => {
    await consume();
    const r = recorder();
    await Promise.all(Array.from({ length: 100 }, (_, n) => r.record(event(n))));
    expect(batches.flat()).toEqual(Array.from({ length: 100 }, (_, n) => `evt_${n}`));
    expect(batches.map((b) => b.length)).toEqual([1, 64, 35]);
  });

  test('nobody there to store it: audit_unavailable, and later ones go through', async () => {
    const r = recorder(50);
    expect(await codeOf(r.record(event(1)))).toMatchObject([
      'audit_unavailable',
      { reason: expect.any(String) },
    ]);
    await consume();
    expect(await codeOf(r.record(event(2)))).toBe('durable');
  });

  test('a full backlog refuses at once instead of filling the memory', async () => {
    const r = recorder(50, 2);
    const waiting = [r.record(event(1)), r.record(event(2)), r.record(event(3))].map(codeOf);
    expect(await codeOf(r.record(event(4)))).toEqual(['audit_unavailable', { reason: 'backlog' }]);
    await Promise.all(waiting);
  });

  test('descriptive reads go on while the stream is away, and are written in order when it is back', async () => {
    const r = recorder(30);
    await r.recordOrSpool(event(1));
    await r.recordOrSpool(event(2));
    expect(r.waiting).toBeGreaterThanOrEqual(2);
    await consume();
    await r.recordOrSpool(event(3));
    await until('the spool to drain', () => r.waiting === 0 || undefined);
    expect([...new Set(batches.flat())]).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(consumed).toBeDefined();
  });
});
