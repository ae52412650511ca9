import { MAX_PROGRESS_MESSAGE, type ProgressStep } from '@adaos/contracts';
import { redactText } from '@adaos/redact';
import type { Clock } from '@adaos/runtime';

/** Steps that may come at once, and milliseconds until one more may: about four a second, whoever reports. */
const BURST = 8;
const REFILL_MS = 250;

/** Lets steps through in order and at a bounded rate. */
export interface ProgressGate {
  step(step: ProgressStep): void;
  /** Sends what is still held back, then nothing more: no step may follow the result. */
  end(): void;
  /** Nothing more, held back or not: whoever would hear it may not any longer. */
  quiet(): void;
}

/**
 * The guard between an executor's word and a client (MCP: progress must grow, and receivers rate-limit). A step that does not grow is
 * dropped; of those over the rate the newest waits for its turn; a message is masked before it is cut, since half a secret has no shape.
 */
export function createProgressGate(clock: Clock, send: (step: ProgressStep) => void): ProgressGate {
  let last = -1;
  let spent = 0;
  let spent_at = clock.now();
  let held: ProgressStep | null = null;
  let stopTimer: (() => void) | null = null;
  let open = true;

  function refill(): void {
    const gained = Math.floor((clock.now() - spent_at) / REFILL_MS);
    if (gained <= 0) return;
    spent = Math.max(0, spent - gained);
    spent_at += gained * REFILL_MS;
  }
  function release(step: ProgressStep): void {
    spent++;
    held = null;
    send(step);
  }
  function settle(): void {
    stopTimer?.();
    stopTimer = null;
  }

  return {
    step(step) {
      if (!open || step.progress <= last) return;
      last = step.progress;
      refill();
      const clean = masked(step);
      if (spent < BURST) return release(clean);
      held = clean;
      stopTimer ??= clock.every(REFILL_MS, () => {
        refill();
        if (held === null || spent >= BURST) return;
        settle();
        release(held);
      });
    },
    end() {
      settle();
      if (open && held) release(held);
      open = false;
    },
    quiet() {
      settle();
      open = false;
    },
  };
}

function masked({ progress, total, message }: ProgressStep): ProgressStep {
  const text = message === undefined ? undefined : redactText(message).text.slice(0, MAX_PROGRESS_MESSAGE);
  return { progress, ...(total !== undefined && { total }), ...(text !== undefined && { message: text }) };
}
