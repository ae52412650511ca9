import { expect, test } from '@jest/globals';
import { subjectOf } from '@adaos/contracts';
import { BOUNDS, faultOf, gate, eventually, settled, type BusFixture } from './fixture.js';

const DECIDE = subjectOf('policy_decide');
const LONG = { timeout_ms: 20_000 };
const FIVE_MIB = 5 * 1024 * 1024;

/** A text whose JSON is `bytes` long. */
const textOfSize = (bytes: number) => 'x'.repeat(bytes - 2);

export function limitCases(zone: () => BusFixture): void {
  test('F26: a request up to the limit passes, beyond it fails before it is sent', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    const seen: number[] = [];
    policy.serve(DECIDE, BOUNDS, async (body) => seen.push((body as string).length + 2));
    await settled(policy);
    const limit = router.max_payload;
    const headers = { request_id: 'r'.repeat(128), traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    for (const size of [limit - 1, limit])
      await router.request(DECIDE, textOfSize(size), { ...LONG, headers });
    for (const size of [limit + 1, FIVE_MIB]) {
      const before = Date.now();
      const error = await router.request(DECIDE, textOfSize(size), LONG).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ fault: 'too_large', code: 'result_too_large' });
      expect(Date.now() - before).toBeLessThan(2_000);
    }
    // Bytes count, not characters.
    expect(await faultOf(router.request(DECIDE, 'ž'.repeat(limit / 2), LONG))).toBe('too_large');
    expect(seen).toEqual([limit - 1, limit]);
  });

  test('F26: a result up to the limit passes, beyond it is result_too_large long before the timeout', async () => {
    const [router, policy] = [await zone().connect('router'), await zone().connect('policy')];
    policy.serve(DECIDE, BOUNDS, async (body) => textOfSize(body as number));
    await settled(policy);
    const limit = policy.max_payload;
    for (const size of [limit - 1, limit]) {
      const answer = await router.request<string>(DECIDE, size, LONG);
      expect(answer.length).toBe(size - 2);
    }
    for (const size of [limit + 1, FIVE_MIB]) {
      const before = Date.now();
      const error = await router.request(DECIDE, size, LONG).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        name: 'OpError',
        code: 'result_too_large',
        details: { limit_bytes: limit },
      });
      expect(error).not.toHaveProperty('fault');
      expect(Date.now() - before).toBeLessThan(5_000);
    }
  });

  test('events and appends have the same limit', async () => {
    const router = await zone().connect('router');
    const body = textOfSize(router.max_payload + 1);
    expect(await faultOf(() => router.publish(subjectOf('target_changed'), body))).toBe('too_large');
    const entry = { msg_id: 'm1', timeout_ms: 5_000 };
    expect(await faultOf(router.append(subjectOf('audit_record', 'router'), body, entry))).toBe('too_large');
  });

  test('F27: names that are not one token are refused, and the call beside them finishes', async () => {
    const [router, h1] = [await zone().connect('router'), await zone().connect('hub', 'h1')];
    const work = gate();
    const seen: string[] = [];
    h1.serve(subjectOf('hub_exec', 'h1'), BOUNDS, async (_body, { subject }) => {
      seen.push(subject);
      await work.opened;
      return 'done';
    });
    await settled(h1);
    const call = router.request(subjectOf('hub_exec', 'h1'), {}, LONG);
    await eventually('the call to run', () => seen.length === 1);

    const names = [
      'a b',
      '*',
      '>',
      '..',
      '',
      'x\r\nPUB evil 0',
      'x\nPUB evil 0',
      'x\u0000',
      '🙂',
      'h'.repeat(300),
    ];
    for (const name of names) {
      const subject = `mcp.v1.to_hub.${name}.exec`;
      const faults = [
        await faultOf(router.request(subject, {}, LONG)),
        await faultOf(() => router.publish(subject, {})),
        await faultOf(router.append(subject, {}, { msg_id: 'm1', timeout_ms: 5_000 })),
      ];
      if (name !== '*') {
        faults.push(await faultOf(() => router.serve(subject, BOUNDS, async () => null)));
        faults.push(await faultOf(() => router.subscribe(subject, () => {})));
      }
      expect([name, new Set(faults)]).toEqual([name, new Set(['bad_subject'])]);
    }
    // More tokens than the table has are another subject, and nobody may use it.
    expect(['forbidden', 'no_responders']).toContain(
      await faultOf(router.request('mcp.v1.to_hub.a.b.exec', {}, LONG)),
    );

    work.open();
    expect(await call).toBe('done');
    expect(seen).toEqual(['mcp.v1.to_hub.h1.exec']);
    expect(router.connected).toBe(true);
  });

  test('F27: a header or message id that could end its line is refused', async () => {
    const router = await zone().connect('router');
    for (const value of ['x\r\nPUB evil 0', 'a b', '', 'ž', 'r'.repeat(201)]) {
      const headers = { request_id: value };
      expect(await faultOf(router.request(DECIDE, {}, { ...LONG, headers }))).toBe('bad_header');
      expect(await faultOf(() => router.publish(subjectOf('target_changed'), {}, headers))).toBe(
        'bad_header',
      );
      const entry = { msg_id: value, timeout_ms: 5_000 };
      expect(await faultOf(router.append(subjectOf('audit_record', 'router'), {}, entry))).toBe('bad_header');
    }
  });
}
