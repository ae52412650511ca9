import { OpError, type OperationalEvent } from '@adaos/contracts';

/** Milliseconds between two tries while the stream is away. */
const RETRY_MS = 250;

/** Records kept in memory while the stream is away. */
export interface Spool {
  readonly size: number;
  /** Resolves once nothing is kept. */
  readonly drained: Promise<void>;
  /** Throws OpError(audit_unavailable, spool_full). */
  add(event: OperationalEvent): void;
}

/** Keeps records of descriptive reads while the stream is away and writes them in order when it is back. */
export function createSpool(record: (event: OperationalEvent) => Promise<void>, limit: number): Spool {
  const kept: OperationalEvent[] = [];
  let draining = false;
  let drained = Promise.resolve();

  async function drain(): Promise<void> {
    draining = true;
    while (kept[0]) {
      const settled = await record(kept[0]).then(() => true, isTooLarge);
      if (settled) kept.shift();
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
    draining = false;
  }

  return {
    get size() {
      return kept.length;
    },
    get drained() {
      return drained;
    },
    add(event) {
      if (kept.length >= limit) throw new OpError('audit_unavailable', { reason: 'spool_full' });
      kept.push(event);
      if (!draining) drained = drain();
    },
  };
}

/** No later try makes a record smaller: kept, it would hold up every record behind it for ever. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof OpError && error.details?.['reason'] === 'too_large';
