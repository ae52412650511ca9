import type { Clock, Log } from '@adaos/runtime';
import type { LeaseRows } from '@adaos/store';
import type { Journal } from './journal.js';

const SWEEP_MS = 5_000;
const BATCH = 200;
/** Batches of one sweep: after a long stop the rest waits for the next, so that no sweep runs for ever. */
const MAX_BATCHES = 25;

export interface SweepDeps {
  readonly zone: string;
  readonly clock: Clock;
  readonly leases: LeaseRows;
  readonly journal: Journal;
  readonly log: Log;
}

/**
 * Tells the ends that time brought: every read judges a deadline by itself, but an open stream reads nothing and a record has no event of it
 * yet. Looks every few seconds; a timer per lease would overflow at 25 days. Recorded before it is marked as told, and under an id that
 * follows from the credential's, so that a crash in between or a second replica leaves one event.
 */
export function startSweep({ zone, clock, leases, journal, log }: SweepDeps): () => Promise<void> {
  let running: Promise<void> | null = null;
  let stopped = false;

  async function sweep(): Promise<void> {
    for (let round = 0; round < MAX_BATCHES && !stopped; round++) {
      const lapsed = await leases.lapsed(zone, BATCH);
      if (lapsed.length === 0) return;
      const epoch = await leases.epoch(zone);
      for (const one of lapsed) journal.announce(one.session_id, one.target_id, epoch);
      await Promise.all(lapsed.map((one) => journal.expired(one)));
      await leases.told(lapsed.map((one) => one.session_id));
      if (lapsed.length < BATCH) return;
    }
  }

  const stop = clock.every(SWEEP_MS, () => {
    running ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'ended leases could not be told; tried again'))
      .finally(() => (running = null));
  });
  return async () => {
    stopped = true;
    stop();
    await running;
  };
}
