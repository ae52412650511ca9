import { expect, test } from '@jest/globals';
import { OpError, subjectOf } from '@adaos/contracts';
import type { ServeContext } from '../port.js';
import { BOUNDS, eventually, faultOf, gate, settled, type BusFixture } from './fixture.js';

const DECIDE = subjectOf('policy_decide');
const LONG = { timeout_ms: 10_000 };

export function requestCases(zone: () => BusFixture): void {
  test('a request is answered with the value, and the server sees its subject and headers', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const seen: ServeContext[] = [];
    policy.serve(DECIDE, BOUNDS, async (body, context) => {
      seen.push(context);
      return { got: body };
    });
    await settled(policy);
    const headers = {
      request_id: 'req_1',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const before = Date.now();
    const answer = await router.request(DECIDE, { n: 1, text: 'žluť' }, { timeout_ms: 5_000, headers });
    expect(answer).toEqual({ got: { n: 1, text: 'žluť' } });
    expect(seen[0]!.subject).toBe(DECIDE);
    expect(seen[0]!.headers).toEqual({ ...headers, deadline_at: expect.any(String) });
    const deadline = Date.parse(seen[0]!.headers.deadline_at!);
    expect(deadline).toBeGreaterThanOrEqual(before + 5_000);
    expect(deadline).toBeLessThanOrEqual(Date.now() + 5_000);
  });

  test('a served pattern tells which hub spoke', async () => {
    const [router, h1, h2] = [
      await zone().connect('router'),
      await zone().connect('hub', 'h1'),
      await zone().connect('hub', 'h2'),
    ];
    router.serve(subjectOf('hub_report', '*'), BOUNDS, async (_body, context) => context.subject);
    await settled(router);
    expect(await h1.request(subjectOf('hub_report', 'h1'), {}, LONG)).toBe('mcp.v1.to_root.h1.report');
    expect(await h2.request(subjectOf('hub_report', 'h2'), {}, LONG)).toBe('mcp.v1.to_root.h2.report');
  });

  test('null, false, empty text and nothing at all travel as themselves', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    policy.serve(DECIDE, BOUNDS, async (body) => body);
    await settled(policy);
    for (const value of [null, false, '', 0, [], undefined]) {
      expect(await router.request(DECIDE, value, LONG)).toEqual(value);
    }
  });

  test('an OpError keeps code, message and details; any other throw is internal and its message stays inside', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    policy.serve(DECIDE, BOUNDS, async (body) => {
      if (body === 'known') throw new OpError('plan_stale', { base: 'b1' }, 'The plan is from yesterday.');
      if (body === 'unanswerable') return { big: 1n };
      throw new Error('password is hunter22');
    });
    await settled(policy);
    await expect(router.request(DECIDE, 'known', LONG)).rejects.toMatchObject({
      name: 'OpError',
      code: 'plan_stale',
      message: 'The plan is from yesterday.',
      details: { base: 'b1' },
    });
    for (const body of ['unknown', 'unanswerable']) {
      const error = await router.request(DECIDE, body, LONG).catch((thrown: OpError) => thrown);
      expect(error).toMatchObject({ code: 'internal' });
      expect(JSON.stringify({ ...(error as object), message: (error as OpError).message })).not.toContain(
        'hunter22',
      );
    }
  });

  test('no server is told at once, not by the timeout', async () => {
    const router = await zone().connect('router');
    const before = Date.now();
    const error = await router
      .request(subjectOf('hub_exec', 'h1'), {}, LONG)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      fault: 'no_responders',
      code: 'dependency_unavailable',
      subject: 'mcp.v1.to_hub.h1.exec',
    });
    expect(Date.now() - before).toBeLessThan(2_000);
  });

  test('a silent server is a timeout, and its late answer reaches nobody', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const late = gate();
    const answered: string[] = [];
    policy.serve(DECIDE, BOUNDS, async (body) => {
      if (body === 'slow') await late.opened;
      answered.push(String(body));
      return body;
    });
    await settled(policy);
    const before = Date.now();
    const error = await router
      .request(DECIDE, 'slow', { timeout_ms: 150 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault: 'timeout', code: 'deadline_exceeded' });
    // A timer may fire early by what the event loop’s own clock lags behind.
    expect(Date.now() - before).toBeGreaterThan(75);
    late.open();
    await eventually('the late answer', () => answered.includes('slow'));
    expect(await router.request(DECIDE, 'next', LONG)).toBe('next');
  });

  test('the caller’s signal ends the wait; an aborted one sends nothing', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const seen: unknown[] = [];
    const never = gate();
    policy.serve(DECIDE, BOUNDS, async (body) => {
      seen.push(body);
      if (body === 'first') await never.opened;
      return body;
    });
    await settled(policy);
    const controller = new AbortController();
    const call = faultOf(router.request(DECIDE, 'first', { ...LONG, signal: controller.signal }));
    await eventually('the request to arrive', () => seen.length === 1);
    controller.abort();
    expect(await call).toBe('aborted');
    expect(await faultOf(router.request(DECIDE, 'second', { ...LONG, signal: controller.signal }))).toBe(
      'aborted',
    );
    expect(await router.request(DECIDE, 'third', LONG)).toBe('third');
    expect(seen).toEqual(['first', 'third']);
    never.open();
  });

  test('500 requests at once get their own answers', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    policy.serve(DECIDE, BOUNDS, async (body) => {
      await new Promise((resolve) => setImmediate(resolve));
      return { square: (body as number) ** 2 };
    });
    await settled(policy);
    const numbers = Array.from({ length: 500 }, (_, n) => n);
    const answers = await Promise.all(numbers.map((n) => router.request(DECIDE, n, LONG)));
    expect(answers).toEqual(numbers.map((n) => ({ square: n * n })));
  });

  test('replicas share the work, and a stopped one gets nothing more', async () => {
    const router = await zone().connect('router');
    const counts = [0, 0, 0];
    const replicas = await Promise.all(counts.map(() => zone().connect('policy')));
    const served = replicas.map((bus, i) =>
      bus.serve(DECIDE, BOUNDS, async () => (counts[i] = counts[i]! + 1)),
    );
    await settled(...replicas);
    const ask = (n: number) =>
      Promise.all(Array.from({ length: n }, () => router.request(DECIDE, 'x', LONG)));
    await ask(300);
    expect(counts[0]! + counts[1]! + counts[2]!).toBe(300);
    for (const count of counts) expect(count).toBeGreaterThan(30);
    await served[1]!.stop();
    const before = [...counts];
    await ask(60);
    expect(counts[1]).toBe(before[1]);
    expect(counts[0]! + counts[2]!).toBe(before[0]! + before[2]! + 60);
  });

  test('bodies are copies: what either side changes stays its own', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const kept = { list: [1], when: new Date(0) };
    policy.serve(DECIDE, BOUNDS, async (body) => {
      (body as { list: number[] }).list.push(2);
      return kept;
    });
    await settled(policy);
    const sent = { list: [1] };
    const answer = await router.request<{ list: number[]; when: unknown }>(DECIDE, sent, LONG);
    answer.list.push(3);
    expect(sent).toEqual({ list: [1] });
    expect(kept.list).toEqual([1]);
    expect(answer.when).toBe('1970-01-01T00:00:00.000Z');
  });
}
