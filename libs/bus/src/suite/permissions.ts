import { expect, test } from '@jest/globals';
import { AUDIT_STREAM, subjectOf } from '@adaos/contracts';
import { attempt, BOUNDS, eventually, faultOf, settled, type BusFixture } from './fixture.js';

const LONG = { timeout_ms: 10_000 };
const EXEC_H2 = subjectOf('hub_exec', 'h2');

export function permissionCases(zone: () => BusFixture): void {
  test('a hub can neither serve nor overhear another hub', async () => {
    const [router, h1, h2] = [
      await zone().connect('router'),
      await zone().connect('hub', 'h1'),
      await zone().connect('hub', 'h2'),
    ];
    const overheard: unknown[] = [];
    for (const subject of [
      EXEC_H2,
      subjectOf('hub_exec', '*'),
      subjectOf('hub_report', 'h2'),
      subjectOf('hub_report', 'h1'),
    ]) {
      attempt(() => h1.serve(subject, { ...BOUNDS, queue: 'agent' }, async (body) => overheard.push(body)));
      attempt(() => h1.subscribe(subject, (body) => overheard.push(body)));
    }
    await settled(h1);
    expect(await faultOf(router.request(EXEC_H2, 'nobody home', LONG))).toBe('no_responders');

    h2.serve(EXEC_H2, { ...BOUNDS, queue: 'agent' }, async () => 'h2');
    await settled(h2);
    for (let n = 0; n < 20; n += 1) expect(await router.request(EXEC_H2, n, LONG)).toBe('h2');
    await settled(h1);
    expect(overheard).toEqual([]);
  });

  test('a hub may speak as itself only', async () => {
    const [router, h1] = [await zone().connect('router'), await zone().connect('hub', 'h1')];
    const arrived: string[] = [];
    router.serve(subjectOf('hub_report', '*'), BOUNDS, async (_body, { subject }) => arrived.push(subject));
    await settled(router);
    const foreign = [
      subjectOf('hub_report', 'h2'),
      subjectOf('hub_event', 'h2'),
      EXEC_H2,
      subjectOf('hub_exec', 'h1'),
      subjectOf('policy_decide'),
      subjectOf('session_resolve'),
      subjectOf('router_call'),
      subjectOf('router_exec'),
    ];
    for (const subject of foreign) {
      const before = Date.now();
      expect([subject, await faultOf(h1.request(subject, {}, LONG))]).toEqual([subject, 'forbidden']);
      expect(Date.now() - before).toBeLessThan(2_000);
    }
    expect(await h1.request(subjectOf('hub_report', 'h1'), {}, LONG)).toBe(1);
    expect(arrived).toEqual(['mcp.v1.to_root.h1.report']);
  });

  test('only router reaches hubs and the services behind it', async () => {
    const users = await Promise.all(
      (['facade', 'service', 'session', 'policy', 'descriptor', 'audit'] as const).map((user) =>
        zone().connect(user),
      ),
    );
    for (const bus of users) {
      for (const id of ['hub_exec', 'hub_control', 'hub_cancel', 'policy_decide', 'session_resolve'] as const)
        expect(await faultOf(bus.request(subjectOf(id, 'h1'), {}, LONG))).toBe('forbidden');
    }
  });

  test('a subject is served by its service only', async () => {
    const [router, session] = [await zone().connect('router'), await zone().connect('session')];
    attempt(() => session.serve(subjectOf('policy_decide'), BOUNDS, async () => ({ allow: true })));
    await settled(session);
    expect(await faultOf(router.request(subjectOf('policy_decide'), {}, LONG))).toBe('no_responders');
  });

  test('an event is told by its owner only', async () => {
    const [router, session, h1] = [
      await zone().connect('router'),
      await zone().connect('session'),
      await zone().connect('hub', 'h1'),
    ];
    const heard: unknown[] = [];
    router.subscribe(subjectOf('lease_revoked'), (body) => heard.push(body));
    await settled(router);
    attempt(() => h1.publish(subjectOf('lease_revoked'), 'forged'));
    await settled(h1);
    session.publish(subjectOf('lease_revoked'), 'true');
    await eventually('the event', () => heard.length > 0);
    expect(heard).toEqual(['true']);
  });

  test('a record is appended under one’s own name, and read by audit only', async () => {
    const [facade, router, h1] = [
      await zone().connect('facade'),
      await zone().connect('router'),
      await zone().connect('hub', 'h1'),
    ];
    const entry = { msg_id: 'm1', timeout_ms: 5_000 };
    expect(await faultOf(facade.append(subjectOf('audit_record', 'router'), {}, entry))).toBe('forbidden');
    expect(await faultOf(h1.append(subjectOf('audit_record', 'router'), {}, entry))).toBe('forbidden');
    const options = {
      stream: AUDIT_STREAM,
      subjects: [subjectOf('audit_record', '*')],
      durable: 'spy',
      max_batch: 10,
    };
    for (const bus of [facade, router, h1])
      expect(await faultOf(bus.consume(options, async () => {}))).toBe('forbidden');
  });
}
