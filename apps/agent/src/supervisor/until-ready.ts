import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Asks `isReady` until it says yes (true) or `signal` aborts (false), with pauses that grow from 50 ms to 1 s. */
export async function untilReady(
  isReady: (signal: AbortSignal) => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  for (let pause_ms = FIRST_PAUSE_MS; !signal.aborted; pause_ms = Math.min(pause_ms * 2, LONGEST_PAUSE_MS)) {
    if (await isReady(signal).catch(() => false)) return !signal.aborted;
    await sleep(pause_ms, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
