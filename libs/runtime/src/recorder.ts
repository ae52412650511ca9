import type { Bus } from '@adaos/bus';
import { OpError, sha256, subjectOf, type BusUser, type OperationalEvent } from '@adaos/contracts';
import type { Log } from './log.js';
import { createSpool, isTooLarge } from './spool.js';

export interface RecorderOptions {
  readonly bus: Bus;
  /** The bus user whose records these are; names the stream subject. */
  readonly source: BusUser;
  readonly max_batch?: number;
  /** Records waiting at most; one more is refused, so that a dead store can't fill the memory. */
  readonly max_waiting?: number;
  /** Milliseconds a record may take to become durable, from the moment it is handed in. */
  readonly timeout_ms?: number;
  /** Hears of records that will never be written. */
  readonly log?: Pick<Log, 'error'>;
}

interface Waiting {
  readonly record: OperationalEvent;
  /** Of its JSON text and the comma behind it. */
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly done: (error?: OpError) => void;
}

/** Writes operational events to the audit stream. */
export interface Recorder {
  /**
   * Resolves once the record can't be lost. Throws OpError(audit_unavailable); `details.reason` is `too_large` for a record that the
   * bus can't carry even alone.
   */
  record(event: OperationalEvent): Promise<void>;
  /**
   * For root-local descriptive reads only: answers at once when the stream is away, and writes later. Throws when the spool is full or
   * the record too large ever to be written.
   */
  recordOrSpool(event: OperationalEvent): Promise<void>;
  /** Writes later: for the refusal of a call whose record was away already. False when the spool is full or the record too large. */
  spool(event: OperationalEvent): boolean;
  /** Waits until all that was handed in is written or refused, at most `timeout_ms`; never throws. For a stop, before the bus closes. */
  drain(timeout_ms: number): Promise<void>;
  readonly waiting: number;
}

/** What a batch has around its records; the last one's comma is counted too, which errs on the safe side. */
const ENVELOPE_BYTES = Buffer.byteLength(JSON.stringify({ records: [] }));

const unavailable = (reason: string) => new OpError('audit_unavailable', { reason });

/**
 * Group commit: while one batch is on its way the next one gathers, so that a busy router pays one append for many records and an
 * idle one no delay. A batch is retried under the same message id: the stream stores it once.
 *
 * Deadlines are Date.now and not a clock dep: the bus bounds an append by a real timer, and a standing clock beside it would let a
 * record wait for ever.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { bus, source, max_batch = 64, max_waiting = 10_000, timeout_ms = 3_000, log } = options;
  const subject = subjectOf('audit_record', source);
  const queue: Waiting[] = [];
  let sending = false;
  let sent = Promise.resolve();

  /** Asked each time: after a reconnect it may be another broker's. */
  const room = () => bus.max_payload - ENVELOPE_BYTES;

  /** Bytes of a record in a batch. Throws for one that would fail alone, before it can take a batch of others with it. */
  function measure(event: OperationalEvent): number {
    const bytes = Buffer.byteLength(JSON.stringify(event)) + 1;
    if (bytes <= room()) return bytes;
    const { event_id, phase } = event;
    log?.error({ event_id, phase, bytes, limit: room() }, 'a record larger than the bus carries is refused');
    throw unavailable('too_large');
  }

  function nextBatch(): Waiting[] {
    // A write opened after its caller was told 503 would stand in the record as admitted.
    const now = Date.now();
    const in_time = queue.findIndex((waiting) => waiting.deadline > now);
    for (const late of queue.splice(0, in_time < 0 ? queue.length : in_time))
      late.done(unavailable('deadline_exceeded'));
    const limit = room();
    let bytes = 0;
    let count = 0;
    for (const waiting of queue.slice(0, max_batch)) {
      bytes += waiting.bytes;
      if (count > 0 && bytes > limit) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async function send(): Promise<void> {
    sending = true;
    for (let batch = nextBatch(); batch.length; batch = nextBatch()) {
      const error = await append(batch);
      for (const waiting of batch) waiting.done(error);
    }
    sending = false;
  }

  /** Bounded by its oldest record's deadline, so that whoever waits behind it is looked at before its own has passed. */
  async function append(batch: readonly Waiting[]): Promise<OpError | undefined> {
    const records = batch.map((waiting) => waiting.record);
    const msg_id = sha256(records.map((r) => `${r.event_id}.${r.phase}`).join());
    const { deadline } = batch[0]!;
    for (;;) {
      try {
        await bus.append(subject, { records }, { msg_id, timeout_ms: Math.max(1, deadline - Date.now()) });
        return undefined;
      } catch (error) {
        const { fault } = error as { fault?: string };
        // A broker with a smaller limit took over since the record was measured.
        if (fault === 'too_large') return unavailable(fault);
        // Only a lost acknowledgement is worth a second try: a missing stream will not appear within a call's deadline.
        if (Date.now() >= deadline || fault !== 'closed')
          return unavailable(error instanceof OpError ? error.code : 'internal');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async function record(event: OperationalEvent): Promise<void> {
    if (queue.length >= max_waiting) throw unavailable('backlog');
    const bytes = measure(event);
    const deadline = Date.now() + timeout_ms;
    return new Promise((resolve, reject) => {
      const done = (error?: OpError) => (error ? reject(error) : resolve());
      queue.push({ record: event, bytes, deadline, done });
      if (!sending) sent = send();
    });
  }

  const spool = createSpool(record, Math.min(1_000, max_waiting));
  const keep = (event: OperationalEvent) => {
    measure(event);
    spool.add(event);
  };
  const allWritten = async () => {
    do await Promise.all([sent, spool.drained]);
    while (sending || spool.size > 0);
  };

  return {
    record,
    async recordOrSpool(event) {
      if (spool.size > 0) return keep(event);
      await record(event).catch((error: unknown) => {
        if (isTooLarge(error)) throw error;
        spool.add(event);
      });
    },
    spool(event) {
      try {
        keep(event);
        return true;
      } catch {
        return false;
      }
    },
    async drain(drain_ms) {
      let timer: NodeJS.Timeout | undefined;
      const bound = new Promise<void>((resolve) => (timer = setTimeout(resolve, drain_ms)));
      await Promise.race([allWritten(), bound]);
      clearTimeout(timer);
      const left = queue.length + spool.size;
      if (left > 0) log?.error({ records: left }, 'records were not written before the stop');
    },
    get waiting() {
      return queue.length + spool.size;
    },
  };
}
