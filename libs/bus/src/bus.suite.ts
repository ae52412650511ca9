import { afterEach, beforeEach, describe, jest } from '@jest/globals';
import { eventCases } from './suite/events.js';
import type { BusFixture } from './suite/fixture.js';
import { limitCases } from './suite/limits.js';
import { permissionCases } from './suite/permissions.js';
import { requestCases } from './suite/requests.js';
import { servingCases } from './suite/serving.js';
import { streamCases } from './suite/streams.js';

/** A busy machine is no fault of the bus; what must be quick is measured by the test itself. */
jest.setTimeout(30_000);

/** What every implementation of the bus must do. `make` gives each test a broker of its own that holds the subject table's permissions. */
export function busSuite(name: string, make: () => Promise<BusFixture>): void {
  describe(name, () => {
    let fixture: BusFixture;
    const zone = () => fixture;
    beforeEach(async () => {
      fixture = await make();
    });
    afterEach(() => fixture.close());

    describe('requests', () => requestCases(zone));
    describe('serving', () => servingCases(zone));
    describe('events', () => eventCases(zone));
    describe('limits', () => limitCases(zone));
    describe('permissions', () => permissionCases(zone));
    describe('streams', () => streamCases(zone));
  });
}

export { natsServerLeg, startNatsServer, type NatsServer } from './suite/nats-server.js';
export type { BusFixture } from './suite/fixture.js';
