import type { Bus } from '@adaos/bus';
import { OpError, subjectOf, type ExecReply } from '@adaos/contracts';
import type { Log } from '@adaos/runtime';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LateOutcome {
  readonly event_id: string;
  readonly request_id: string;
  readonly lease_id: string;
  readonly reply: ExecReply;
}

/** Milliseconds between tries: about eight minutes in all, after which root asks the journal or closes the record as indeterminate. */
const PAUSES_MS: readonly number[] = [
  500,
  1_000,
  2_000,
  4_000,
  8_000,
  15_000,
  ...Array<number>(15).fill(30_000),
];
const TIMEOUT_MS = 5_000;
/** Outcomes under way at once; the rest stays in the journal, where root can ask for it. */
const MAX_PENDING = 200;

export interface LateOutcomeDeps {
  readonly bus: Bus;
  readonly hub_id: string;
  readonly log: Log;
  readonly pauses_ms?: readonly number[];
}

/** Tells root what became of a write whose caller was no longer waiting, so that its record is closed with the truth. */
export function createLateOutcomes({ bus, hub_id, log, pauses_ms = PAUSES_MS }: LateOutcomeDeps) {
  const stopped = new AbortController();
  const pending = new Set<Promise<void>>();
  const subject = subjectOf('hub_event', hub_id);

  async function deliver(outcome: LateOutcome): Promise<void> {
    for (const pause_ms of [...pauses_ms, null]) {
      try {
        await bus.request(subject, outcome, { timeout_ms: TIMEOUT_MS, signal: stopped.signal });
        return;
      } catch (error) {
        const refused = error instanceof OpError && ['forbidden', 'invalid_argument'].includes(error.code);
        if (refused || pause_ms === null || stopped.signal.aborted) {
          log.warn(
            { event_id: outcome.event_id, code: (error as OpError).code },
            'late outcome not delivered',
          );
          return;
        }
        await sleep(pause_ms, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
        if (stopped.signal.aborted) return;
      }
    }
  }

  return {
    send(outcome: LateOutcome): void {
      if (pending.size >= MAX_PENDING) return;
      const delivery = deliver(outcome).finally(() => pending.delete(delivery));
      pending.add(delivery);
    },
    /** Gives up what is still under way: it stands in the journal. */
    async stop(): Promise<void> {
      stopped.abort();
      await Promise.all(pending);
    },
  };
}
export type LateOutcomes = ReturnType<typeof createLateOutcomes>;
