import { expect, test } from '@jest/globals';
import { BusError, type Bus } from '@adaos/bus';
import { createInProcessBroker } from '@adaos/bus/in-process';
import { subjectOf } from '@adaos/contracts';
import { silentLog } from '@adaos/runtime';
import { connectingBus } from './connecting-bus.js';
import { until } from './until.fixture.js';

const exec = subjectOf('hub_exec', 'hub-1');
const bounds = { queue: 'agent', max_concurrency: 1 };

test('before the broker is there requests fail at once, and what is served begins by itself later', async () => {
  const broker = createInProcessBroker();
  let arrive: (bus: Bus) => void = () => undefined;
  const bus = connectingBus(() => new Promise((resolve) => (arrive = resolve)), silentLog);
  bus.serve(exec, bounds, async (body) => ({ got: body }));
  const gone = bus.serve(subjectOf('hub_cancel', 'hub-1'), bounds, async () => 'never');
  await gone.stop();
  await expect(
    bus.request(subjectOf('hub_report', 'hub-1'), {}, { timeout_ms: 1_000 }),
  ).rejects.toMatchObject({ fault: 'closed' });
  expect({ connected: bus.connected, max_payload: bus.max_payload }).toEqual({
    connected: false,
    max_payload: 1024 * 1024,
  });
  arrive(broker.connect('hub', 'hub-1'));
  await until(() => bus.connected);
  const router = broker.connect('router');
  expect(await router.request(exec, 'hello', { timeout_ms: 5_000 })).toEqual({ got: 'hello' });
  await expect(
    router.request(subjectOf('hub_cancel', 'hub-1'), {}, { timeout_ms: 500 }),
  ).rejects.toMatchObject({ fault: 'no_responders' });
  await bus.close();
  await expect(router.request(exec, 'hello', { timeout_ms: 500 })).rejects.toMatchObject({
    fault: 'no_responders',
  });
  await broker.close();
});

test('a broker that refuses is tried again; a close ends the trying', async () => {
  let tries = 0;
  const bus = connectingBus(async () => {
    tries += 1;
    throw new BusError('forbidden', 'connect');
  }, silentLog);
  await until(() => tries === 1);
  await bus.close();
  expect(tries).toBe(1);
});
