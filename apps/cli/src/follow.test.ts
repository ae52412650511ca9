import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { StoredEvent } from '@adaos/contracts';
import fc from 'fast-check';
import { follow } from './fixture/follower.js';
import { ago, event } from './fixture/records.js';
import { refusal, startFixtureZone, type FixtureZone } from './fixture/zone.js';

let zone: FixtureZone;
beforeEach(async () => (zone = await startFixtureZone()));
afterEach(() => zone.close());

const opened = (seq: number, given: Partial<StoredEvent> = {}) =>
  event(seq, { phase: 'opened', status: 'open', finished_at: null, ...given });
const settle = (seq: number, given: Partial<StoredEvent>) => {
  zone.events = zone.events.map((known) => (known.seq === seq ? { ...known, ...given } : known));
};
/** `seq:status` of each line printed. */
const told = (lines: string) =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as StoredEvent)
    .map(({ seq, status }) => `${seq}:${status}`);

test('an event that began before others but was recorded after them is not missed', async () => {
  const tail = await follow(zone, '--json');
  zone.events.push(event(1, { started_at: ago(1) }), event(2, { started_at: ago(60) }));
  expect(told(await tail.look())).toEqual(['1:succeeded', '2:succeeded']);
  zone.events.push(event(3, { started_at: ago(3600) }));
  expect(told(await tail.look())).toEqual(['3:succeeded']);
  await tail.interrupt();
});

test('an open event comes again with its outcome, a timed out one with the later word of the hub', async () => {
  const tail = await follow(zone, '--json');
  zone.events.push(opened(1), event(2));
  expect(told(await tail.look())).toEqual(['1:open', '2:succeeded']);
  expect(told(await tail.look())).toEqual([]);
  settle(1, { phase: 'closed', status: 'timed_out' });
  expect(told(await tail.look())).toEqual(['1:timed_out']);
  expect(told(await tail.look())).toEqual([]);
  settle(1, { phase: 'late', status: 'succeeded' });
  expect(told(await tail.look())).toEqual(['1:succeeded']);
  const asked = zone.seen.length;
  await tail.look();
  expect(zone.seen.slice(asked).map(({ url }) => url)).toEqual(['/v1/root/mcp/audit?limit=200']);
  await tail.interrupt();
});

test('an outcome is shown under --status though its event is older than others seen', async () => {
  zone.events = [opened(1)];
  const tail = await follow(zone, '--json --status failed');
  expect(tail.past).toBe('');
  zone.events.push(opened(2), event(3, { status: 'failed' }));
  expect(told(await tail.look())).toEqual(['3:failed']);
  zone.events.push(opened(4));
  expect(told(await tail.look())).toEqual([]);
  settle(4, { phase: 'closed', status: 'succeeded' });
  settle(2, { phase: 'closed', status: 'failed' });
  settle(1, { phase: 'closed', status: 'failed' });
  expect(told(await tail.look())).toEqual(['1:failed', '2:failed']);
  await tail.interrupt();
});

test('an event that was open before the lines shown comes with its outcome', async () => {
  zone.events = [opened(1), event(2), event(3)];
  const tail = await follow(zone, '--json -n 1');
  expect(told(tail.past)).toEqual(['3:succeeded']);
  settle(1, { phase: 'closed', status: 'succeeded' });
  expect(told(await tail.look())).toEqual(['1:succeeded']);
  await tail.interrupt();
});

test('what comes between the pages of a look comes once', async () => {
  const tail = await follow(zone, '--json');
  for (let seq = 1; seq <= 450; seq++) zone.events.push(event(seq));
  zone.intercept = ({ url }) => {
    if (url.includes('cursor=')) zone.events.push(event(zone.events.length + 1));
    return undefined;
  };
  const first = told(await tail.look());
  zone.intercept = () => undefined;
  const second = told(await tail.look());
  expect(first).toHaveLength(450);
  expect([...first, ...second]).toEqual(zone.events.map(({ seq, status }) => `${seq}:${status}`));
  await tail.interrupt();
});

test('what comes while it starts comes once', async () => {
  zone.events = [event(1), opened(2)];
  let asked = 0;
  zone.intercept = () => {
    asked += 1;
    if (asked > 1 && asked < 4) zone.events.push(event(zone.events.length + 1));
    if (asked === 3) settle(2, { phase: 'closed', status: 'succeeded' });
    return undefined;
  };
  const tail = await follow(zone, '--json');
  const lines = [...told(tail.past), ...told(await tail.look()), ...told(await tail.look())];
  expect(lines).toEqual(['1:succeeded', '2:succeeded', '3:succeeded', '4:succeeded']);
  await tail.interrupt();
});

test('a lease, which is not told the place of an event in the record, follows as well', async () => {
  const unplaced = ({ seq: _seq, ...rest }: StoredEvent) => rest as StoredEvent;
  const tail = await follow(zone, '--json');
  zone.intercept = ({ url }) =>
    url.includes('/audit?')
      ? { status: 200, body: { ok: true, events: zone.events.map(unplaced).reverse(), next_cursor: null } }
      : undefined;
  const ids = (lines: string) =>
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as StoredEvent).event_id);
  zone.events.push(event(1), event(2));
  expect(ids(await tail.look())).toEqual(zone.events.map(({ event_id }) => event_id));
  zone.events.push(event(3));
  expect(ids(await tail.look())).toEqual([zone.events[2]!.event_id]);
  await tail.interrupt();
});

/** What may happen to the record between two looks. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), open: fc.boolean() }),
  fc.record({ kind: fc.constant('close' as const), which: fc.nat(20) }),
  fc.record({ kind: fc.constant('fault' as const), after: fc.nat(2) }),
  fc.record({ kind: fc.constant('look' as const) }),
);

test('whatever happens in whatever order, each phase of each event is told once and no outcome is missed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(5), async (steps, past) => {
      zone.intercept = () => undefined;
      zone.events = Array.from({ length: past }, (_, n) => (n % 2 ? opened(n + 1) : event(n + 1)));
      const tail = await follow(zone, '--json -n 1000');
      let lines = told(tail.past);
      for (const happening of steps) {
        if (happening.kind === 'append') {
          const seq = zone.events.length + 1;
          zone.events.push(happening.open ? opened(seq) : event(seq));
        } else if (happening.kind === 'close') {
          const open = zone.events.filter(({ phase }) => phase === 'opened');
          const chosen = open[happening.which % (open.length || 1)];
          if (chosen) settle(chosen.seq, { phase: 'closed', status: 'failed' });
        } else if (happening.kind === 'fault') {
          let left = happening.after;
          zone.intercept = () => (left-- > 0 ? undefined : refusal('dependency_unavailable'));
          lines = [...lines, ...told(await tail.look())];
          zone.intercept = () => undefined;
        } else lines = [...lines, ...told(await tail.look())];
      }
      lines = [...lines, ...told(await tail.look()), ...told(await tail.look())];
      expect((await tail.interrupt()).code).toBe(0);
      expect(new Set(lines).size).toBe(lines.length);
      for (const { seq, status } of zone.events) expect(lines).toContain(`${seq}:${status}`);
      const firsts = [...new Set(lines.map((line) => Number(line.split(':')[0])))];
      expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
    }),
    { numRuns: 60 },
  );
});
