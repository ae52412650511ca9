import { expect, test } from '@jest/globals';
import { subjectOf, type OpError } from '@adaos/contracts';
import { BOUNDS, eventually, faultOf, gate, settled, type BusFixture } from './fixture.js';

const DECIDE = subjectOf('policy_decide');
const LONG = { timeout_ms: 10_000 };

export function servingCases(zone: () => BusFixture): void {
  test('beyond the waiting room a request is refused at once', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const work = gate();
    let running = 0;
    policy.serve(DECIDE, { queue: 'policy', max_concurrency: 1, max_waiting: 1 }, async (body) => {
      running += 1;
      await work.opened;
      return body;
    });
    await settled(policy);
    const first = router.request(DECIDE, 1, LONG);
    await eventually('the first to run', () => running === 1);
    const rest = await Promise.all(
      [2, 3].map((n) => {
        const call = router.request(DECIDE, n, LONG).catch((error: OpError) => error.code);
        return { n, call };
      }),
    );
    expect(await Promise.race(rest.map(({ call }) => call))).toBe('concurrency_limited');
    expect(running).toBe(1);
    work.open();
    expect(await first).toBe(1);
    expect(
      (await Promise.all(rest.map(({ call }) => call))).filter((answer) => typeof answer === 'number'),
    ).toEqual([2]);
  });

  test('a server knows by its id what waits or runs, until the reply is on its way', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const work = gate();
    let running = 0;
    const served = policy.serve(DECIDE, { queue: 'policy', max_concurrency: 1 }, async (body) => {
      running += 1;
      await work.opened;
      return body;
    });
    await settled(policy);
    const ask = (request_id: string) => router.request(DECIDE, 1, { ...LONG, headers: { request_id } });
    const first = ask('first');
    await eventually('the first to run', () => running === 1);
    const second = ask('second');
    await eventually('the second to wait', () => served.holds('second'));
    expect(['first', 'second', 'third'].map((id) => served.holds(id))).toEqual([true, true, false]);
    work.open();
    await Promise.all([first, second]);
    expect(['first', 'second'].map((id) => served.holds(id))).toEqual([false, false]);
  });

  test('who waited past its deadline is never run', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const work = gate();
    const ran: unknown[] = [];
    policy.serve(DECIDE, { queue: 'policy', max_concurrency: 1 }, async (body) => {
      ran.push(body);
      await work.opened;
      return body;
    });
    await settled(policy);
    const first = router.request(DECIDE, 'first', LONG);
    await eventually('the first to run', () => ran.length === 1);
    const expires_at = Date.now() + 100;
    expect(await faultOf(router.request(DECIDE, 'expired', { timeout_ms: 100 }))).toBe('timeout');
    // A timer may fire a moment early.
    await eventually('the deadline to pass', () => Date.now() > expires_at + 20);
    work.open();
    expect(await first).toBe('first');
    expect(await router.request(DECIDE, 'third', LONG)).toBe('third');
    expect(ran).toEqual(['first', 'third']);
  });

  test('the deadline reaches the handler’s signal', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const reasons: unknown[] = [];
    const seen = gate();
    policy.serve(DECIDE, BOUNDS, async (_body, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reasons.push((signal.reason as OpError).code);
      // Both ends keep the same deadline: an answer now could still be in time.
      await seen.opened;
    });
    await settled(policy);
    expect(await faultOf(router.request(DECIDE, {}, { timeout_ms: 100 }))).toBe('timeout');
    await eventually('the signal', () => reasons.length === 1);
    expect(reasons).toEqual(['deadline_exceeded']);
    seen.open();
  });

  test('stop finishes what runs, and then there is no server', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const work = gate();
    const order: string[] = [];
    let running = 0;
    const served = policy.serve(DECIDE, { queue: 'policy', max_concurrency: 1 }, async (body) => {
      running += 1;
      await work.opened;
      order.push(`handled ${String(body)}`);
      return body;
    });
    await settled(policy);
    const calls = Promise.all(['a', 'b'].map((body) => router.request(DECIDE, body, LONG)));
    await eventually('one to run', () => running === 1);
    await settled(router);
    const stopped = served.stop().then(() => order.push('stopped'));
    await eventually('the subject to be free', async () => {
      const error = await router
        .request(DECIDE, 'late', { timeout_ms: 2_000 })
        .catch((thrown: unknown) => thrown);
      return (error as { fault?: string }).fault === 'no_responders';
    });
    await settled(policy);
    expect(order).toEqual([]);
    work.open();
    expect(await calls).toEqual(['a', 'b']);
    await stopped;
    expect(order).toEqual(['handled a', 'handled b', 'stopped']);
  });

  test('stop waits no longer than its bound and tells the handler', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const codes: string[] = [];
    let running = 0;
    const served = policy.serve(DECIDE, BOUNDS, async (_body, { signal }) => {
      running += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      codes.push((signal.reason as OpError).code);
      throw new Error('stopped in the middle');
    });
    await settled(policy);
    const call = router.request(DECIDE, {}, LONG).catch((error: OpError) => error.code);
    await eventually('it to run', () => running === 1);
    const before = Date.now();
    await served.stop(0);
    expect(Date.now() - before).toBeLessThan(3_000);
    expect(await call).toBe('cancelled');
    expect(codes).toEqual(['cancelled']);
    await settled(policy);
    expect(await faultOf(router.request(DECIDE, {}, LONG))).toBe('no_responders');
  });

  test('a closed connection refuses, and what waited on it fails', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const never = gate();
    let running = 0;
    policy.serve(DECIDE, BOUNDS, async () => {
      running += 1;
      await never.opened;
    });
    await settled(policy);
    const call = faultOf(router.request(DECIDE, {}, LONG));
    await eventually('it to run', () => running === 1);
    expect(router.connected).toBe(true);
    await router.close();
    expect(await call).toBe('closed');
    expect(router.connected).toBe(false);
    expect(await faultOf(router.request(DECIDE, {}, LONG))).toBe('closed');
    expect(await faultOf(() => router.publish(subjectOf('target_changed'), {}))).toBe('closed');
    expect(await faultOf(() => router.serve(subjectOf('router_call'), BOUNDS, async () => null))).toBe(
      'closed',
    );
    expect(await faultOf(() => router.subscribe(subjectOf('lease_revoked'), () => {}))).toBe('closed');
    const entry = { msg_id: 'm1', timeout_ms: 1_000 };
    expect(await faultOf(router.append(subjectOf('audit_record', 'router'), {}, entry))).toBe('closed');
    never.open();
  });
}
