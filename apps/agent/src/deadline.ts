import { setMaxListeners } from 'node:events';

/** A signal that aborts when the outer one does or when the time is up; `end` must be called to let both go. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether it was the time, and not the outer signal, that ended it. */
  readonly timed_out: boolean;
  end(): void;
}

/**
 * Made by hand from a timer and a listener: `AbortSignal.any` over `AbortSignal.timeout` may be collected before it fires on Node 20,
 * and keeps one listener per call on a long-lived outer signal.
 */
export function deadline(outer: AbortSignal, timeout_ms: number): Deadline {
  const controller = new AbortController();
  // Fifty checks may listen at once; each takes its listener away again.
  setMaxListeners(0, controller.signal);
  let timed_out = false;
  const timer = setTimeout(
    () => {
      timed_out = !controller.signal.aborted;
      controller.abort('timeout');
    },
    Math.max(0, Math.min(timeout_ms, 2 ** 31 - 1)),
  );
  const follow = () => controller.abort(outer.reason);
  if (outer.aborted) follow();
  else outer.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    get timed_out() {
      return timed_out;
    },
    end() {
      clearTimeout(timer);
      outer.removeEventListener('abort', follow);
    },
  };
}
