import { OpError } from '@adaos/contracts';
import { deadline } from './deadline.js';

export interface LaneOptions {
  readonly max_concurrency: number;
  /** Calls that may wait for a slot; one more is refused at once. */
  readonly max_waiting: number;
}

export interface Bounds {
  /** Milliseconds for waiting and running together. */
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
  /** Bytes of JSON of the result's `output`. */
  readonly max_output_bytes: number;
  /** true: work that was begun is waited for even after the signal, since its effect is already there. */
  readonly settle: boolean;
}

export interface Lane {
  /**
   * Runs `work` within all bounds. Throws OpError: concurrency_limited, deadline_exceeded, result_too_large, or the reason of the outer
   * signal (cancelled, lease_revoked).
   */
  run<T extends { readonly output: unknown }>(
    bounds: Bounds,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

/** The one wrapper around every adapter (conventions 10). A slot is free only once the work has really ended, not when it was given up. */
export function createLane({ max_concurrency, max_waiting }: LaneOptions): Lane {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function enter(signal: AbortSignal): Promise<void> {
    if (running < max_concurrency) running += 1;
    else if (waiting.length >= max_waiting)
      throw new OpError('concurrency_limited', { scope: 'hub', retry_after_ms: 1_000 });
    else await turn(signal);
  }

  function turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(new Error('left the queue'));
      };
      waiting.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Hands the slot to who waits longest; it is never free in between, or a newcomer would take it as well. */
  function exit(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    async run(bounds, work) {
      const bound = deadline(bounds.signal, bounds.timeout_ms);
      const ended = () =>
        bound.timed_out ? new OpError('deadline_exceeded') : abortError(bounds.signal.reason);
      try {
        if (bound.signal.aborted) throw ended();
        await enter(bound.signal);
        const result = (async () => work(bound.signal))().finally(exit);
        return withinCap(await (bounds.settle ? result : orAborted(result, bound.signal)), bounds);
      } catch (error) {
        // An abort surfaces as whatever the work was doing at that moment; the caller needs our word for it.
        if (bound.signal.aborted && !(error instanceof OpError)) throw ended();
        throw error;
      } finally {
        bound.end();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting.length;
    },
  };
}

function orAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function withinCap<T extends { readonly output: unknown }>(result: T, { max_output_bytes }: Bounds): T {
  if (Buffer.byteLength(JSON.stringify(result.output)) > max_output_bytes)
    throw new OpError('result_too_large', { limit_bytes: max_output_bytes });
  return result;
}

/** The error an abort stands for: the OpError it carries, or plainly cancelled. */
export const abortError = (reason: unknown): OpError =>
  reason instanceof OpError ? reason : new OpError('cancelled');
