import type { Bus } from '@adaos/bus';
import { OpError, sha256, subjectOf, type BusUser, type OperationalEvent } from '@adaos/contracts';

export interface RecorderOptions {
  readonly bus: Bus;
  /** The bus user whose records these are; names the stream subject. */
  readonly source: BusUser;
  readonly max_batch?: number;
  /** Records waiting at most; one more is refused, so that a dead store can't fill the memory. */
  readonly max_waiting?: number;
  /** Milliseconds a record may take to become durable. */
  readonly timeout_ms?: number;
}

interface Waiting {
  readonly record: OperationalEvent;
  readonly done: (error?: OpError) => void;
}

/** Writes operational events to the audit stream. */
export interface Recorder {
  /** Resolves once the record can't be lost. Throws OpError(audit_unavailable). */
  record(event: OperationalEvent): Promise<void>;
  /** For root-local descriptive reads only: answers at once when the stream is away, and writes later; throws when the spool is full. */
  recordOrSpool(event: OperationalEvent): Promise<void>;
  /** Writes later: for the refusal of a call whose record was away already. False when the spool is full. */
  spool(event: OperationalEvent): boolean;
  readonly waiting: number;
}

/**
 * Group commit: while one batch is on its way the next one gathers, so that a busy router pays one append for many records and an
 * idle one no delay. A batch is retried under the same message id: the stream stores it once.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { bus, source, max_batch = 64, max_waiting = 10_000, timeout_ms = 3_000 } = options;
  const subject = subjectOf('audit_record', source);
  const queue: Waiting[] = [];
  let sending = false;

  async function send(): Promise<void> {
    sending = true;
    while (queue.length) {
      const batch = queue.splice(0, max_batch);
      const error = await append(batch.map((w) => w.record));
      for (const waiting of batch) waiting.done(error);
    }
    sending = false;
  }

  async function append(records: OperationalEvent[]): Promise<OpError | undefined> {
    const msg_id = sha256(records.map((r) => `${r.event_id}.${r.phase}`).join());
    const deadline = Date.now() + timeout_ms;
    for (;;) {
      try {
        await bus.append(subject, { records }, { msg_id, timeout_ms: Math.max(1, deadline - Date.now()) });
        return undefined;
      } catch (error) {
        // Only a lost acknowledgement is worth a second try: a missing stream will not appear within a call's deadline.
        if (Date.now() >= deadline || (error as { fault?: string }).fault !== 'closed') {
          return new OpError('audit_unavailable', {
            reason: error instanceof OpError ? error.code : 'internal',
          });
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  function record(event: OperationalEvent): Promise<void> {
    if (queue.length >= max_waiting)
      return Promise.reject(new OpError('audit_unavailable', { reason: 'backlog' }));
    return new Promise((resolve, reject) => {
      queue.push({ record: event, done: (error) => (error ? reject(error) : resolve()) });
      if (!sending) void send();
    });
  }

  const spool = createSpool(record, Math.min(1_000, max_waiting));
  return {
    record,
    async recordOrSpool(event) {
      if (spool.size > 0) return spool.add(event);
      await record(event).catch(() => spool.add(event));
    },
    spool(event) {
      try {
        spool.add(event);
        return true;
      } catch {
        return false;
      }
    },
    get waiting() {
      return queue.length + spool.size;
    },
  };
}

/** Keeps records of descriptive reads while the stream is away and writes them in order when it is back. */
function createSpool(record: (event: OperationalEvent) => Promise<void>, limit: number) {
  const kept: OperationalEvent[] = [];
  let draining = false;

  async function drain(): Promise<void> {
    draining = true;
    while (kept[0]) {
      const written = await record(kept[0]).then(
        () => true,
        () => false,
      );
      if (written) kept.shift();
      else await new Promise((resolve) => setTimeout(resolve, 250).unref());
    }
    draining = false;
  }

  return {
    get size() {
      return kept.length;
    },
    add(event: OperationalEvent): void {
      if (kept.length >= limit) throw new OpError('audit_unavailable', { reason: 'spool_full' });
      kept.push(event);
      if (!draining) void drain();
    },
  };
}
