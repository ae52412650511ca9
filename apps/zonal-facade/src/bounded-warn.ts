import { performance } from 'node:perf_hooks';
import type { Log } from '@adaos/runtime';

/** Lines of one kind in a window; anybody who reaches the port can cause them, so they must not fill a disk. */
const LINES = 10;
const WINDOW_MS = 10_000;

/** Warns at most ten times in ten seconds; the first line of the next window tells how many were left out. */
export function boundedWarn(log: Log): (fields: Record<string, unknown>, message: string) => void {
  let began = -Infinity;
  let lines = 0;
  return (fields, message) => {
    const now = performance.now();
    const left_out = lines - LINES;
    if (now - began >= WINDOW_MS) {
      if (left_out > 0) log.warn({ left_out }, 'more of these were not logged');
      began = now;
      lines = 0;
    }
    if (++lines <= LINES) log.warn(fields, message);
  };
}
