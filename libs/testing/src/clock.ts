import type { Clock } from '@adaos/runtime';

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  /** Moves time on and runs what was due, in order. */
  advance(ms: number): void;
}

export function testClock(start = Date.parse('2026-01-01T00:00:00.000Z')): TestClock {
  let now = start;
  const timers = new Set<{ ms: number; next: number; work: () => void }>();
  return {
    now: () => now,
    iso: () => new Date(now).toISOString(),
    every(ms, work) {
      const timer = { ms, next: now + ms, work };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter((t) => t.next <= end).sort((a, b) => a.next - b.next)[0];
        if (!due) break;
        now = due.next;
        due.next += due.ms;
        due.work();
      }
      now = end;
    },
  };
}
