import { expect, test } from '@jest/globals';
import { createInProcessBroker } from '@adaos/bus/in-process';
import { OpError, subjectOf } from '@adaos/contracts';
import { silentLog } from '@adaos/runtime';
import { createLateOutcomes, type LateOutcome } from './late-outcomes.js';
import { until } from './until.fixture.js';

const outcome: LateOutcome = {
  event_id: 'evt_1',
  request_id: 'r1',
  lease_id: 'lse_1',
  reply: { status: 'succeeded', redactions: [], adapter: 'restart_service', adapter_ms: 1 },
};
function sending(answer: (n: number, body: LateOutcome) => unknown, pauses_ms = [5, 5, 5]) {
  const broker = createInProcessBroker();
  const sent: LateOutcome[] = [];
  const serve = () =>
    broker
      .connect('router')
      .serve(subjectOf('hub_event', '*'), { queue: 'router', max_concurrency: 5 }, async (body) => {
        sent.push(body as LateOutcome);
        return answer(sent.length, body as LateOutcome);
      });
  const late = createLateOutcomes({
    bus: broker.connect('hub', 'hub-1'),
    hub_id: 'hub-1',
    log: silentLog,
    pauses_ms,
  });
  const end = async () => {
    await late.stop();
    await broker.close();
  };
  return { sent, serve, late, end };
}

test('is sent again until root is there and has taken it', async () => {
  const { sent, serve, late, end } = sending((n) => {
    if (n < 3) throw new OpError('dependency_unavailable', { reason: 'event_not_stored_yet' });
    return { recorded: true };
  }, Array<number>(500).fill(5));
  late.send(outcome);
  serve();
  await until(() => sent.length === 3);
  await end();
  expect(sent).toEqual([outcome, outcome, outcome]);
});

test.each(['forbidden', 'invalid_argument'] as const)('%s is an answer: not sent again', async (code) => {
  const other = { ...outcome, event_id: 'evt_2' };
  const { sent, serve, late, end } = sending((_n, body) => {
    throw new OpError(body.event_id === 'evt_1' ? code : 'dependency_unavailable');
  });
  serve();
  late.send(outcome);
  // The other one is tried again and again: time enough for a second try of the first.
  late.send(other);
  await until(() => sent.filter((body) => body.event_id === 'evt_2').length === 4);
  await end();
  expect(sent.filter((body) => body.event_id === 'evt_1')).toHaveLength(1);
});

test('gives up after its tries, and at a stop', async () => {
  const away = () => {
    throw new OpError('dependency_unavailable');
  };
  const few = sending(away);
  few.serve();
  few.late.send(outcome);
  await until(() => few.sent.length === 4);
  await few.end();
  expect(few.sent).toHaveLength(4);
  const long = sending(away, [60_000]);
  long.serve();
  long.late.send(outcome);
  await until(() => long.sent.length === 1);
  await long.end();
  expect(long.sent).toHaveLength(1);
});
