import { afterEach, describe, expect, test } from '@jest/globals';
import { createInProcessBroker } from '@adaos/bus/in-process';
import { OpError, subjectOf } from '@adaos/contracts';
import { createMemoryLimits } from '@adaos/limits/memory';
import { testClock, until } from '@adaos/testing';
import { admissions } from './admissions.js';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The door’s memory over a session whose answers the test gives. */
function door(answer: (bearer: string) => Promise<{ expires_at: string }>) {
  const broker = createInProcessBroker();
  const clock = testClock();
  const shown: string[] = [];
  const served = broker
    .connect('session')
    .serve(subjectOf('session_admit'), { queue: 'session', max_concurrency: 256 }, async (body) => {
      const { bearer } = body as { bearer: string };
      shown.push(bearer);
      return answer(bearer);
    });
  ends.push(async () => {
    await served.stop();
    await broker.close();
  });
  const limits = createMemoryLimits();
  return { clock, shown, door: admissions({ bus: broker.connect('facade'), clock, limits }) };
}
const inTime = (clock: { now: () => number }, ms: number) => ({
  expires_at: new Date(clock.now() + ms).toISOString(),
});

describe('tokens at the door', () => {
  test('an admitted one is shown once a minute, and not beyond its end', async () => {
    const at = door(async () => inTime(at.clock, 90_000));
    expect(at.door.isKnown('t')).toBe(false);
    expect(await at.door.admit('t', 'a')).toBeNull();
    at.clock.advance(59_999);
    expect(at.door.isKnown('t')).toBe(true);
    at.clock.advance(1);
    expect(at.door.isKnown('t')).toBe(false);
    const short = door(async () => inTime(short.clock, 1_000));
    await short.door.admit('t', 'a');
    short.clock.advance(1_000);
    expect(short.door.isKnown('t')).toBe(false);
  });

  test('of requests that bring the same new one at once, one asks', async () => {
    const at = door(async () => inTime(at.clock, 1_000));
    await Promise.all(Array.from({ length: 200 }, () => at.door.admit('t', 'a')));
    expect(at.shown).toEqual(['t']);
  });

  test('a refused one is refused unasked for five seconds', async () => {
    const at = door(async () => {
      throw new OpError('unauthenticated', { reason: 'expired' }, 'The token has expired.');
    });
    for (let n = 0; n < 50; n++)
      expect(await at.door.admit('t', 'a')).toMatchObject({ code: 'unauthenticated' });
    expect(at.shown).toHaveLength(1);
    at.clock.advance(5_000);
    await at.door.admit('t', 'a');
    expect(at.shown).toHaveLength(2);
  });

  test('an issuer that is away is no verdict on the token', async () => {
    let away = true;
    const at = door(async () => {
      if (away) throw new OpError('dependency_unavailable');
      return inTime(at.clock, 1_000);
    });
    expect(await at.door.admit('t', 'a')).toMatchObject({ code: 'dependency_unavailable' });
    away = false;
    expect(await at.door.admit('t', 'a')).toBeNull();
  });

  test('a revoked one goes on: its digest is refused where refusals are recorded', async () => {
    const at = door(async () => {
      throw new OpError('lease_revoked');
    });
    expect(await at.door.admit('t', 'a')).toBeNull();
    expect(at.door.isKnown('t')).toBe(false);
  });

  test('a flood from one address is stopped there, and others get in', async () => {
    const at = door(async (bearer) => {
      if (bearer.startsWith('junk')) throw new OpError('unauthenticated');
      return inTime(at.clock, 1_000);
    });
    const codes = new Map<string, number>();
    for (let n = 0; n < 400; n++) {
      const error = await at.door.admit(`junk-${n}`, 'flooder');
      codes.set(error!.code, (codes.get(error!.code) ?? 0) + 1);
    }
    expect(at.shown.length).toBeLessThanOrEqual(120);
    expect(codes.get('rate_limited')).toBeGreaterThanOrEqual(280);
    // The replica's own rate is per second of real time; the flood may have used this one up.
    let tries = 0;
    const verdict = await until('room for others', async () => {
      const answer = await at.door.admit('good', `somebody-${++tries}`);
      return answer?.code === 'rate_limited' ? undefined : { answer };
    });
    expect(verdict.answer).toBeNull();
  });
});
