import { OpError } from '@adaos/contracts';
import { decodeBody } from './body.js';
import { BusError, type ConsumeOptions, type StreamMessage, type Subscription } from './port.js';
import { createCommittedIds, type CommittedIds } from './committed-ids.js';
import { redeliveryDelay } from './redelivery.js';
import type { BusLog } from './serve.js';
import { covers } from './subject.js';
import { within } from './within.js';

type Handler = (batch: readonly StreamMessage[]) => Promise<void>;

/** A message whose appenders still wait for its commit. */
interface Entry {
  readonly subject: string;
  readonly text: string;
  readonly msg_id: string;
  readonly waiters: Set<{ resolve(): void; reject(error: Error): void }>;
  attempts: number;
}

interface Stream {
  subjects: readonly string[];
  readonly durable: string;
  /** Not yet with a handler, oldest first; `retries` go before `queued`. */
  readonly queued: Set<Entry>;
  readonly retries: Set<Entry>;
  /** Message ids in flight, and those committed within the window. */
  readonly open: Map<string, Entry>;
  readonly committed: CommittedIds;
  readonly consumers: Set<{ wake(): void }>;
}

const newStream = (subjects: readonly string[], durable: string): Stream => ({
  subjects,
  durable,
  queued: new Set(),
  retries: new Set(),
  open: new Map(),
  committed: createCommittedIds(),
  consumers: new Set(),
});

/**
 * Streams without a disk: an append resolves only when the consumer's handler has committed it, so the consumer's database is the
 * durable part. A message whose every appender has been told `timeout` is dropped unless a handler has it: nobody counts on it.
 */
export function createStreams({ log, now }: { log: BusLog; now: () => number }) {
  const streams = new Map<string, Stream>();
  /** Appended before any consumer named the stream. */
  const unclaimed = newStream([], '');

  function settle(stream: Stream, entry: Entry): void {
    stream.open.delete(entry.msg_id);
    stream.committed.add(entry.msg_id, now());
    for (const waiter of entry.waiters) waiter.resolve();
  }

  function append(subject: string, text: string, msg_id: string, timeout_ms: number): Promise<void> {
    const find = () => [...streams.values()].find(({ subjects }) => subjects.some((s) => covers(s, subject)));
    const stream = find() ?? unclaimed;
    if (stream.committed.has(msg_id, now())) return Promise.resolve();
    let entry = stream.open.get(msg_id);
    if (!entry) {
      entry = { subject, text, msg_id, waiters: new Set(), attempts: 0 };
      stream.open.set(msg_id, entry);
      stream.queued.add(entry);
    }
    for (const consumer of stream.consumers) consumer.wake();
    return waitFor(entry, timeout_ms, () => {
      const home = find() ?? unclaimed;
      if (home.queued.delete(entry) || home.retries.delete(entry)) home.open.delete(msg_id);
    });
  }

  function claim(options: ConsumeOptions): Stream {
    const known = streams.get(options.stream);
    if (known && known.durable !== options.durable)
      throw new OpError('conflict', { reason: 'stream_has_another_durable', stream: options.stream });
    const stream = known ?? newStream(options.subjects, options.durable);
    stream.subjects = options.subjects;
    streams.set(options.stream, stream);
    for (const entry of unclaimed.queued) {
      if (!options.subjects.some((s) => covers(s, entry.subject))) continue;
      unclaimed.queued.delete(entry);
      unclaimed.open.delete(entry.msg_id);
      stream.queued.add(entry);
      stream.open.set(entry.msg_id, entry);
    }
    return stream;
  }

  function consume(options: ConsumeOptions, handler: Handler): Subscription {
    const stream = claim(options);
    let failures = 0;
    let state: 'idle' | 'scheduled' | 'at_work' | 'paused' = 'idle';
    let stopped = false;
    let at_work = Promise.resolve();
    let pause: NodeJS.Timeout | undefined;

    async function hand(): Promise<void> {
      const batch = take(stream, options.max_batch);
      if (stopped || batch.length === 0) {
        state = 'idle';
        for (const entry of batch) stream.retries.add(entry);
        return;
      }
      state = 'at_work';
      try {
        await handler(batch.map(toMessage));
        failures = 0;
        for (const entry of batch) settle(stream, entry);
        state = 'idle';
      } catch (error) {
        failures += 1;
        for (const entry of batch) {
          entry.attempts += 1;
          if (entry.waiters.size > 0) stream.retries.add(entry);
          else stream.open.delete(entry.msg_id);
        }
        const pause_ms = redeliveryDelay(failures);
        log.warn(
          { err: error, stream: options.stream, messages: batch.length, pause_ms },
          'batch not committed',
        );
        state = 'paused';
        pause = setTimeout(resume, pause_ms);
      }
      consumer.wake();
    }

    function resume(): void {
      state = 'idle';
      consumer.wake();
    }

    const consumer = {
      wake(): void {
        if (state !== 'idle' || stopped || stream.queued.size + stream.retries.size === 0) return;
        state = 'scheduled';
        // After the caller's stack: what is appended in one go is committed in one go.
        queueMicrotask(() => (at_work = hand()));
      },
    };
    stream.consumers.add(consumer);
    consumer.wake();

    return {
      async stop(timeout_ms = 5_000) {
        stopped = true;
        stream.consumers.delete(consumer);
        clearTimeout(pause);
        await within(at_work, timeout_ms);
        for (const other of stream.consumers) other.wake();
      },
    };
  }

  return {
    append,
    consume,
    /** Every append that still waits fails with `closed`. */
    close(): void {
      for (const stream of [unclaimed, ...streams.values()]) {
        for (const entry of stream.open.values())
          for (const waiter of entry.waiters) waiter.reject(new BusError('closed', entry.subject));
      }
    },
  };
}

function waitFor(entry: Entry, timeout_ms: number, onAbandoned: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      entry.waiters.delete(waiter);
      settle();
    };
    const waiter = { resolve: () => end(resolve), reject: (error: Error) => end(() => reject(error)) };
    const timer = setTimeout(() => {
      waiter.reject(new BusError('timeout', entry.subject));
      if (entry.waiters.size === 0) onAbandoned();
    }, timeout_ms);
    entry.waiters.add(waiter);
  });
}

function take(stream: Stream, max: number): Entry[] {
  const batch: Entry[] = [];
  for (const source of [stream.retries, stream.queued]) {
    for (const entry of source) {
      if (batch.length >= max) return batch;
      source.delete(entry);
      batch.push(entry);
    }
  }
  return batch;
}

/** Parsed for each delivery: a handler that changes a body changes its own copy. */
const toMessage = (entry: Entry): StreamMessage => ({
  subject: entry.subject,
  body: decodeBody(entry.text),
  msg_id: entry.msg_id,
  redelivered: entry.attempts > 0,
});
