import { busSuite } from './bus.suite.js';
import { createInProcessBroker } from './in-process.js';
import { natsFixture } from './suite/nats-fixture.js';
import { natsServerLeg } from './suite/nats-server.js';

busSuite('in-process', async () => {
  const broker = createInProcessBroker();
  return { connect: async (user, hub_id) => broker.connect(user, hub_id), close: () => broker.close() };
});

natsServerLeg(() => busSuite('nats', natsFixture));
