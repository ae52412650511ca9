import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { follow } from '../fixture/follower.js';
import { event } from '../fixture/records.js';
import { sample } from '../fixture/sample.js';
import { adaosctl } from '../fixture/terminal.js';
import { refusal, startFixtureZone, type FixtureZone } from '../fixture/zone.js';

let zone: FixtureZone;
beforeEach(async () => (zone = await startFixtureZone(sample())));
afterEach(() => zone.close());

describe('events tail', () => {
  test('at 80 columns', async () =>
    expect(await adaosctl(zone, 'events tail', { columns: 80 })).toEqual({
      code: 0,
      err: '',
      out:
        'TIME      ACTOR       TOOL             TARGET      POLICY STATUS      MS EVENT\n' +
        '4 min ago alice       hub.get_status   hub:demo    allow  succeeded   21 …000001\n' +
        '4 min ago …0000000002 …restart_service hub:rack-0… deny   denied      21 …000002\n' +
        '4 min ago unknown     auth.denied      -           -      denied       1 …000003\n' +
        '4 min ago alice       …managed_targets -           allow  succeeded 1234 …000004\n' +
        '4 min ago alice       …restart_service hub:demo    allow  open         - …000005\n',
    }));

  test('at 120 columns the event ids are whole', async () =>
    expect((await adaosctl(zone, 'events tail -n 1', { columns: 120 })).out).toBe(
      'TIME       ACTOR         TOOL                      TARGET        POLICY  STATUS       MS  EVENT\n' +
        '4 min ago  alice         hub.restart_service       hub:demo      allow   open          -  evt_01K6FZ8Q000000000000000005\n',
    ));

  test('piped on, nothing is cut', async () => {
    const { out } = await adaosctl(zone, 'events tail');
    expect(out).toContain('lse_01K6FZ8Q000000000000000002  hub.restart_service');
    expect(out).not.toContain('…');
  });

  test('filters are handed to the zone', async () => {
    const flags =
      '--tool hub.get_logs --target demo --lease lse_1 --trace t1 --type tool.call --status denied --since 2h --until 2026-10-01T11:30:00Z';
    expect((await adaosctl(zone, `events tail ${flags}`)).out).toBe('No such events.\n');
    expect(Object.fromEntries(new URL(zone.seen[0]!.url, zone.url).searchParams)).toEqual({
      tool_id: 'hub.get_logs',
      target_id: 'hub:demo',
      lease_id: 'lse_1',
      trace_id: 't1',
      event_type: 'tool.call',
      status: 'denied',
      since: '2026-10-01T10:00:00.000Z',
      until: '2026-10-01T11:30:00.000Z',
      limit: '20',
    });
  });

  test('--json is one event per line, as the zone has it', async () => {
    const { out } = await adaosctl(zone, 'events tail -n 3 --json');
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(zone.events.slice(-3));
  });

  test('--until does not go with -f', async () =>
    expect((await adaosctl(zone, 'events tail -f --until 1h')).code).toBe(2));
});

describe('events tail -f', () => {
  test('shows the clock, and events as they come', async () => {
    const tail = await follow(zone, '-n 1', 80);
    expect(tail.past).toBe(
      'TIME     ACTOR       TOOL             TARGET       POLICY STATUS      MS EVENT\n' +
        '11:55:05 alice       …restart_service hub:demo     allow  open         - …000005\n',
    );
    expect(await tail.look()).toBe('');
    zone.events.push(event(6, { tool_id: 'hub.get_logs' }));
    expect(await tail.look()).toBe(
      '11:55:06 alice       hub.get_logs     hub:demo     allow  succeeded   21 …000006\n',
    );
    expect(await tail.look()).toBe('');
    expect(await tail.interrupt()).toMatchObject({ code: 0, err: '' });
  });

  test('Ctrl-C during a request ends it with 0 too', async () => {
    const tail = await follow(zone);
    zone.intercept = () => 'hang';
    const before = zone.seen.length;
    void tail.look();
    while (zone.seen.length === before) await new Promise(setImmediate);
    expect(await tail.interrupt()).toMatchObject({ code: 0, err: '' });
  });

  test('and so it does before the first answer', async () => {
    zone.intercept = () => 'hang';
    const stop = new AbortController();
    const ended = adaosctl(zone, 'events tail -f', { signal: stop.signal });
    while (!zone.seen.length) await new Promise(setImmediate);
    stop.abort();
    expect(await ended).toEqual({ code: 0, out: '', err: '' });
  });

  test('a zone that goes away is waited for, longer each time', async () => {
    const tail = await follow(zone, '-n 0 --every 1s');
    zone.intercept = () => refusal('dependency_unavailable');
    zone.events.push(event(6));
    for (let n = 0; n < 6; n++) expect(await tail.look()).toBe('');
    zone.intercept = () => undefined;
    expect(await tail.look()).toContain('evt_01K6FZ8Q000000000000000006');
    await tail.look();
    expect(tail.pauses.slice(0, 9)).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 1000, 1000]);
    expect((await tail.interrupt()).err).toBe(
      'A part of the zone is away; retry shortly. Waiting for it.\nThe zone answers again.\n',
    );
  });

  test('a token that is revoked meanwhile ends it with 3', async () => {
    const tail = await follow(zone, '-n 0');
    zone.intercept = () => refusal('lease_revoked');
    await tail.look();
    expect(await tail.ended).toMatchObject({ code: 3, err: expect.stringContaining('(lease_revoked)') });
  });

  test('a zone that is not there at the start is no reason to wait', async () => {
    zone.intercept = () => refusal('dependency_unavailable');
    expect(await (await follow(zone)).ended).toMatchObject({ code: 4 });
  });

  test('--json keeps errors out of the events', async () => {
    const tail = await follow(zone, '-n 1 --json');
    zone.intercept = () => refusal('unauthenticated');
    await tail.look();
    const { out, err } = await tail.ended;
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(err)).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
  });
});
