import { expect, test } from '@jest/globals';
import type { OperationalEvent } from '@adaos/contracts';
import { createMemoryLimits, type Limits } from '@adaos/limits';
import { silentLog } from '@adaos/runtime';
import { countingIds, testClock, until } from '@adaos/testing';
import { Registry } from 'prom-client';
import { watchLimits } from './limit-watch.js';

test('a turn is a gauge, counters and one event each way; flapping does not fill the record', async () => {
  const clock = testClock();
  const metrics = new Registry();
  const events: OperationalEvent[] = [];
  const shared = createMemoryLimits();
  const alone = createMemoryLimits({ share: 0.5, degraded: true });
  let away = false;
  const side = () => (away ? alone : shared);
  const limits: Limits = {
    take: (key, rate) => side().take(key, rate),
    acquire: (key, max, ttl) => side().acquire(key, max, ttl),
    close: async () => undefined,
  };
  const recorder = { spool: (event: OperationalEvent) => events.push(event) > 0 };
  const watched = watchLimits(limits, {
    zone: 'local',
    clock,
    ids: countingIds(),
    log: silentLog,
    metrics,
    recorder,
  });
  const value = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)`, 'm').exec(await metrics.metrics())?.[1] ?? NaN);
  const rate = { points: 2, duration_s: 60 };

  await watched.take('tool:lse_1:hub.get_status', rate);
  expect(await value('adaos_limits_degraded')).toBe(0);
  away = true;
  expect(await watched.take('tool:lse_1:hub.get_status', rate)).toMatchObject({
    allowed: true,
    degraded: true,
  });
  expect(await watched.acquire('slot-zone', 2, 1_000)).toMatchObject({ allowed: true, degraded: true });
  expect(await watched.take('tool:lse_1:hub.get_status', rate)).toMatchObject({ allowed: false });
  expect(await value('adaos_limits_degraded')).toBe(1);
  expect(await value('adaos_limits_alone_total')).toBe(3);
  expect(await value('adaos_limits_refused_total\\{limit="tool"\\}')).toBe(1);
  expect(await metrics.metrics()).not.toContain('lse_1');
  await until('the event', () => events[0]);
  expect(events).toEqual([
    expect.objectContaining({
      event_type: 'service.limits.degraded',
      actor: 'service:router',
      status: 'failed',
      error: expect.objectContaining({ code: 'dependency_unavailable' }),
    }),
  ]);

  // Nobody calls: the way back is found all the same.
  away = false;
  clock.advance(5_000);
  await until('the way back', () => events[1]);
  expect(events[1]).toMatchObject({
    event_type: 'service.limits.restored',
    status: 'succeeded',
    error: null,
  });
  expect(await value('adaos_limits_degraded')).toBe(0);

  for (let i = 0; i < 100; i++) {
    away = i % 2 === 0;
    await watched.take(`k${i}`, rate);
  }
  expect(events).toHaveLength(10);
  await watched.close();
});
