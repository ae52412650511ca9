import type { OperationalEvent } from '@adaos/contracts';
import { createMemoryLimits, type Limits } from '@adaos/limits';
import type { Clock, Ids, Log, Recorder } from '@adaos/runtime';
import { Counter, Gauge, Registry } from 'prom-client';
import { draftEvent } from './draft.js';

/** Milliseconds between looks for the way back while nobody calls. */
const PROBE_MS = 5_000;
/** Turns told as events: a line that flaps must not fill the record. */
const TOLD = { points: 10, duration_s: 600 } as const;
const PROBE = { points: 1_000, duration_s: 60 } as const;

interface Deps {
  readonly zone: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics?: Registry;
  readonly recorder: Pick<Recorder, 'spool'>;
}

/**
 * The limits, watched: whether this replica counts with the others or alone is a gauge, how often it had to count alone and what was
 * refused are counters, and each turn is an event, `service.limits.degraded` or `service.limits.restored`.
 */
export function watchLimits(limits: Limits, deps: Deps): Limits {
  const { clock, log } = deps;
  const registers = [deps.metrics ?? new Registry()];
  const gauge = new Gauge({
    name: 'adaos_limits_degraded',
    help: '1 while the shared counters are away and this router counts alone, under lower limits',
    registers,
  });
  const alone = new Counter({ name: 'adaos_limits_alone_total', help: 'Limits counted alone', registers });
  const refused = new Counter({
    name: 'adaos_limits_refused_total',
    help: 'Refused by a limit',
    labelNames: ['limit'] as const,
    registers,
  });
  const told = createMemoryLimits();
  let degraded = false;
  gauge.set(0);

  const saw = <T extends { allowed: boolean; degraded: boolean }>(key: string, answer: T): T => {
    // The kind before the first colon is ours; what follows names clients.
    if (!answer.allowed) refused.inc({ limit: key.split(':', 1)[0]! });
    if (answer.degraded) alone.inc();
    if (answer.degraded !== degraded) turn(answer.degraded);
    return answer;
  };

  function turn(now_degraded: boolean): void {
    degraded = now_degraded;
    gauge.set(degraded ? 1 : 0);
    if (degraded) log.warn('the shared counters are away: this router counts alone, under lower limits');
    else log.info('the shared counters are back');
    void told
      .take('turn', TOLD)
      .then(({ allowed }) => allowed && deps.recorder.spool(eventOf(deps, now_degraded)));
  }

  const stop = clock.every(PROBE_MS, () => {
    if (degraded) void limits.take('probe', PROBE).then((answer) => saw('probe', answer));
  });
  return {
    take: async (key, rate) => saw(key, await limits.take(key, rate)),
    acquire: async (key, max, ttl_ms) => saw(key, await limits.acquire(key, max, ttl_ms)),
    async close() {
      stop();
      await told.close();
    },
  };
}

function eventOf(deps: Deps, degraded: boolean): OperationalEvent {
  const client = { name: 'router', version: '', via: 'nats', address: '' } as const;
  const draft = degraded
    ? draftEvent(deps, 'service.limits.degraded', { client })
    : draftEvent(deps, 'service.limits.restored', { client });
  draft.event.actor = 'service:router';
  const body = {
    code: 'dependency_unavailable' as const,
    message: 'The shared counters are away; limits are lower and counted alone.',
  };
  return degraded ? draft.close('failed', body) : draft.close('succeeded', null);
}
