import { expect, test } from '@jest/globals';
import { subjectOf } from '@adaos/contracts';
import { eventually, settled, type BusFixture } from './fixture.js';

const REVOKED = subjectOf('lease_revoked');

export function eventCases(zone: () => BusFixture): void {
  test('an event reaches every subscriber, in order, each with a copy of its own', async () => {
    const session = await zone().connect('session');
    const listeners = [
      await zone().connect('router'),
      await zone().connect('router'),
      await zone().connect('router'),
    ];
    const heard: unknown[][] = [[], [], []];
    listeners.forEach((bus, i) =>
      bus.subscribe(REVOKED, (body, subject) => {
        const event = body as { n: number; by?: number };
        event.by = i;
        heard[i]!.push([subject, event]);
      }),
    );
    await settled(...listeners);
    for (let n = 0; n < 100; n += 1) session.publish(REVOKED, { n });
    await eventually('all events', () => heard.every((events) => events.length === 100));
    heard.forEach((events, i) =>
      expect(events).toEqual(Array.from({ length: 100 }, (_, n) => [REVOKED, { n, by: i }])),
    );
  });

  test('a listener that throws hears the next one; a stopped one hears nothing', async () => {
    const [session, router, other] = [
      await zone().connect('session'),
      await zone().connect('router'),
      await zone().connect('router'),
    ];
    const heard: unknown[] = [];
    const gone: unknown[] = [];
    router.subscribe(REVOKED, (body) => {
      heard.push(body);
      throw new Error('listener fails');
    });
    const stopped = other.subscribe(REVOKED, (body) => gone.push(body));
    await settled(router, other);
    session.publish(REVOKED, 1);
    await eventually('the first', () => heard.length === 1 && gone.length === 1);
    await stopped.stop();
    session.publish(REVOKED, 2);
    await eventually('the second', () => heard.length === 2);
    await settled(other);
    expect([heard, gone]).toEqual([[1, 2], [1]]);
  });
}
