import { expect, test } from '@jest/globals';
import { AUDIT_STREAM, subjectOf } from '@adaos/contracts';
import type { StreamMessage } from '../port.js';
import { eventually, faultOf, gate, settled, type BusFixture } from './fixture.js';

const RECORD = subjectOf('audit_record', 'router');
const OPTIONS = {
  stream: AUDIT_STREAM,
  subjects: [subjectOf('audit_record', '*')],
  durable: 'audit',
  max_batch: 50,
};
const LONG = 20_000;

export function streamCases(zone: () => BusFixture): void {
  test('a record appended alone is handed over at once, as it was sent', async () => {
    const [router, audit] = [await zone().connect('router'), await zone().connect('audit')];
    const seen: StreamMessage[] = [];
    await audit.consume(OPTIONS, async (batch) => void seen.push(...batch));
    const before = Date.now();
    await router.append(RECORD, { n: 1 }, { msg_id: 'evt_1.open', timeout_ms: LONG });
    await eventually('the record', () => seen.length === 1);
    expect(Date.now() - before).toBeLessThan(2_000);
    expect(seen).toEqual([{ subject: RECORD, body: { n: 1 }, msg_id: 'evt_1.open', redelivered: false }]);
  });

  test('without a stream an append is never reported as stored', async () => {
    const router = await zone().connect('router');
    const fault = await faultOf(router.append(RECORD, {}, { msg_id: 'm1', timeout_ms: 200 }));
    expect(['timeout', 'no_responders']).toContain(fault);
  });

  test('each id is committed once, however often it is appended', async () => {
    const [router, audit] = [await zone().connect('router'), await zone().connect('audit')];
    const committed: string[] = [];
    await audit.consume(OPTIONS, async (batch) => void committed.push(...batch.map(({ msg_id }) => msg_id)));
    const ids = Array.from({ length: 200 }, (_, n) => `evt_${n}`);
    const append = (msg_id: string) => router.append(RECORD, { msg_id }, { msg_id, timeout_ms: LONG });
    await Promise.all([...ids, ...ids].map(append));
    await Promise.all(ids.map(append));
    await append('last');
    await eventually('the last', () => committed.includes('last'));
    expect([...committed].sort()).toEqual([...ids, 'last'].sort());
  });

  test('a batch whose handler fails comes again, marked, until it is committed', async () => {
    const [router, audit] = [await zone().connect('router'), await zone().connect('audit')];
    const committed: StreamMessage[] = [];
    let failures = 0;
    await audit.consume(OPTIONS, async (batch) => {
      if (failures < 2) {
        failures += 1;
        throw new Error('the database is away');
      }
      committed.push(...batch);
    });
    const ids = Array.from({ length: 20 }, (_, n) => `evt_${n}`);
    await Promise.all(ids.map((msg_id) => router.append(RECORD, msg_id, { msg_id, timeout_ms: LONG })));
    await eventually('all to be committed', () => committed.length >= ids.length);
    expect(failures).toBe(2);
    expect(committed.map(({ msg_id }) => msg_id).sort()).toEqual([...ids].sort());
    expect(committed.every(({ body, msg_id }) => body === msg_id)).toBe(true);
    expect(committed.some(({ redelivered }) => redelivered)).toBe(true);
  });

  test('what arrives while a batch is committed becomes the next one, up to max_batch', async () => {
    const [router, audit] = [await zone().connect('router'), await zone().connect('audit')];
    const first = gate();
    const sizes: number[] = [];
    let at_once = 0;
    let most_at_once = 0;
    await audit.consume(OPTIONS, async (batch) => {
      at_once += 1;
      most_at_once = Math.max(most_at_once, at_once);
      sizes.push(batch.length);
      await first.opened;
      at_once -= 1;
    });
    const append = (msg_id: string) => router.append(RECORD, {}, { msg_id, timeout_ms: LONG });
    const opening = append('first');
    await eventually('the first batch', () => sizes.length === 1);
    const rest = Promise.all(Array.from({ length: 120 }, (_, n) => append(`evt_${n}`)));
    await settled(router, audit, router, audit);
    first.open();
    await Promise.all([opening, rest]);
    await eventually('everything', () => sizes.reduce((sum, size) => sum + size, 0) === 121);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50);
    expect(sizes.length).toBeLessThan(40);
    expect(most_at_once).toBe(1);
  });

  test('a stopped consumer commits what it has; started again it goes on where it was', async () => {
    const [router, audit] = [await zone().connect('router'), await zone().connect('audit')];
    const committed: string[] = [];
    const work = gate();
    let handed = 0;
    const handler = async (batch: readonly StreamMessage[]) => {
      handed += batch.length;
      await work.opened;
      committed.push(...batch.map(({ msg_id }) => msg_id));
    };
    const append = (msg_id: string) => router.append(RECORD, {}, { msg_id, timeout_ms: LONG });
    const consumer = await audit.consume(OPTIONS, handler);
    const appended = [append('before')];
    await eventually('the first batch', () => handed === 1);
    appended.push(...Array.from({ length: 30 }, (_, n) => append(`held_${n}`)));
    await settled(router, audit, router, audit);
    let stopped = false;
    const stopping = consumer.stop().then(() => (stopped = true));
    appended.push(...Array.from({ length: 30 }, (_, n) => append(`during_${n}`)));
    await settled(audit, router, audit);
    expect(stopped).toBe(false);
    work.open();
    await stopping;
    expect(committed).toEqual(['before']);
    appended.push(...Array.from({ length: 30 }, (_, n) => append(`after_${n}`)));
    await (await zone().connect('audit')).consume(OPTIONS, handler);
    await Promise.all(appended);
    await eventually('everything', () => committed.length >= 91);
    expect(new Set(committed).size).toBe(91);
    expect(committed.length).toBe(91);
  });

  test('replicas of the consumer share the stream; a second durable is a conflict', async () => {
    const router = await zone().connect('router');
    const replicas = [await zone().connect('audit'), await zone().connect('audit')];
    const committed: string[] = [];
    for (const bus of replicas)
      await bus.consume(OPTIONS, async (batch) => void committed.push(...batch.map(({ msg_id }) => msg_id)));
    await expect(
      replicas[0]!.consume({ ...OPTIONS, durable: 'other' }, async () => {}),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
    const ids = Array.from({ length: 100 }, (_, n) => `evt_${n}`);
    await Promise.all(ids.map((msg_id) => router.append(RECORD, {}, { msg_id, timeout_ms: LONG })));
    await eventually('everything', () => committed.length >= 100);
    expect([...committed].sort()).toEqual([...ids].sort());
  });
}
