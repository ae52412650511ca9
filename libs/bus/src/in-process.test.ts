import { afterEach, expect, jest, test } from '@jest/globals';
import { AUDIT_STREAM, subjectOf } from '@adaos/contracts';
import { createInProcessBroker, type InProcessBroker } from './in-process.js';
import { eventually, faultOf, gate } from './suite/fixture.js';

/** A busy machine is no fault of the bus; what must be quick is measured by the test itself. */
jest.setTimeout(30_000);

const DECIDE = subjectOf('policy_decide');
const RECORD = subjectOf('audit_record', 'router');
const OPTIONS = {
  stream: AUDIT_STREAM,
  subjects: [subjectOf('audit_record', '*')],
  durable: 'audit',
  max_batch: 50,
};
const BOUNDS = { queue: 'policy', max_concurrency: 8 };
const LONG = { timeout_ms: 10_000 };

let broker: InProcessBroker;
afterEach(() => broker.close());

test('the limit is a setting, one mebibyte by default', async () => {
  broker = createInProcessBroker();
  expect(broker.connect('router').max_payload).toBe(1_048_576);
  await broker.close();
  broker = createInProcessBroker({ max_payload: 10 });
  expect(await faultOf(broker.connect('router').request(DECIDE, '123456789', LONG))).toBe('too_large');
});

test('a hub without a valid id gets no connection', () => {
  broker = createInProcessBroker();
  expect(() => broker.connect('hub')).toThrow(TypeError);
  expect(() => broker.connect('hub', 'h 1')).toThrow(TypeError);
});

test('without permissions any user may use any subject, and names are still checked', async () => {
  broker = createInProcessBroker({ enforce_permissions: false });
  const bus = broker.connect('facade');
  bus.serve('any.subject', BOUNDS, async (body) => body);
  expect(await bus.request('any.subject', 1, LONG)).toBe(1);
  expect(await faultOf(bus.request('any.*', 1, LONG))).toBe('bad_subject');
});

test('what a user may not do is refused at once', async () => {
  broker = createInProcessBroker();
  const h1 = broker.connect('hub', 'h1');
  expect(await faultOf(() => h1.serve(subjectOf('hub_exec', '*'), BOUNDS, async () => null))).toBe(
    'forbidden',
  );
  expect(await faultOf(() => h1.subscribe(subjectOf('lease_revoked'), () => {}))).toBe('forbidden');
  expect(await faultOf(() => h1.publish(subjectOf('lease_revoked'), {}))).toBe('forbidden');
});

test('a listener that throws is logged and harms nobody', async () => {
  const logged: string[] = [];
  const note = (_fields: object, message: string) => void logged.push(message);
  broker = createInProcessBroker({ log: { info: note, warn: note, error: note } });
  broker.connect('router').subscribe(subjectOf('lease_revoked'), () => {
    throw new Error('listener fails');
  });
  broker.connect('session').publish(subjectOf('lease_revoked'), {});
  await eventually('the log line', () => logged.length > 0);
  expect(logged).toEqual(['event handler failed']);
});

test('timers run while requests chase each other', async () => {
  broker = createInProcessBroker();
  const [router, policy] = [broker.connect('router'), broker.connect('policy')];
  policy.serve(DECIDE, BOUNDS, async (body) => body);
  let fired = false;
  setTimeout(() => (fired = true), 5);
  const ends_at = Date.now() + 5_000;
  while (!fired && Date.now() < ends_at) await router.request(DECIDE, 1, LONG);
  expect(fired).toBe(true);
});

test('an append resolves by the consumer’s commit and not before', async () => {
  broker = createInProcessBroker();
  const [router, audit] = [broker.connect('router'), broker.connect('audit')];
  const work = gate();
  let handed = false;
  let stored = false;
  await audit.consume(OPTIONS, async () => {
    handed = true;
    await work.opened;
  });
  const appending = router.append(RECORD, {}, { msg_id: 'm1', ...LONG }).then(() => (stored = true));
  await eventually('the batch', () => handed);
  await new Promise((resolve) => setImmediate(resolve));
  expect(stored).toBe(false);
  work.open();
  expect(await appending).toBe(true);
});

test('what waits for its first consumer is committed when it comes; what timed out is not', async () => {
  broker = createInProcessBroker();
  const [router, audit] = [broker.connect('router'), broker.connect('audit')];
  expect(await faultOf(router.append(RECORD, {}, { msg_id: 'gone', timeout_ms: 20 }))).toBe('timeout');
  const waiting = router.append(RECORD, {}, { msg_id: 'm1', ...LONG });
  const twice = router.append(RECORD, {}, { msg_id: 'm1', ...LONG });
  const committed: string[] = [];
  await audit.consume(OPTIONS, async (batch) => void committed.push(...batch.map(({ msg_id }) => msg_id)));
  await Promise.all([waiting, twice]);
  expect(committed).toEqual(['m1']);
});

test('an append fails by its own timeout while its batch is tried again, and is then forgotten', async () => {
  broker = createInProcessBroker();
  const [router, audit] = [broker.connect('router'), broker.connect('audit')];
  const tries: string[] = [];
  let broken = true;
  await audit.consume(OPTIONS, async (batch) => {
    tries.push(...batch.map(({ msg_id, redelivered }) => `${msg_id} ${redelivered}`));
    if (broken) throw new Error('the database is away');
  });
  expect(await faultOf(router.append(RECORD, {}, { msg_id: 'm1', timeout_ms: 150 }))).toBe('timeout');
  expect(tries).toEqual(['m1 false', 'm1 true']);
  broken = false;
  await router.append(RECORD, {}, { msg_id: 'm2', ...LONG });
  expect(tries).toEqual(['m1 false', 'm1 true', 'm2 false']);
});

test('a batch that fails after its appender gave up is not tried again', async () => {
  broker = createInProcessBroker();
  const [router, audit] = [broker.connect('router'), broker.connect('audit')];
  const work = gate();
  const tries: string[] = [];
  await audit.consume(OPTIONS, async (batch) => {
    tries.push(...batch.map(({ msg_id }) => msg_id));
    if (tries.length > 1) return;
    await work.opened;
    throw new Error('the database is away');
  });
  expect(await faultOf(router.append(RECORD, {}, { msg_id: 'm1', timeout_ms: 50 }))).toBe('timeout');
  work.open();
  await router.append(RECORD, {}, { msg_id: 'm2', ...LONG });
  expect(tries).toEqual(['m1', 'm2']);
});

test('an id is new again after the dedupe window', async () => {
  let now = 0;
  broker = createInProcessBroker({ now: () => now });
  const [router, audit] = [broker.connect('router'), broker.connect('audit')];
  const committed: number[] = [];
  await audit.consume(
    OPTIONS,
    async (batch) => void committed.push(...batch.map(({ body }) => body as number)),
  );
  for (const at of [0, 119_999, 120_000]) {
    now = at;
    await router.append(RECORD, at, { msg_id: 'm1', ...LONG });
  }
  expect(committed).toEqual([0, 120_000]);
});

test('closing the broker fails the appends that wait', async () => {
  broker = createInProcessBroker();
  const waiting = faultOf(broker.connect('router').append(RECORD, {}, { msg_id: 'm1', ...LONG }));
  await new Promise((resolve) => setImmediate(resolve));
  await broker.close();
  expect(await waiting).toBe('closed');
});
