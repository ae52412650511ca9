/** Time as a dependency: `now` in epoch milliseconds, `every`/`after` so that tests can move it. */
export interface Clock {
  now(): number;
  /** RFC 3339 UTC with milliseconds. */
  iso(): string;
  /** Runs `work` every `ms` until stopped; the timer never keeps the process alive. */
  every(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  iso: () => new Date().toISOString(),
  every(ms, work) {
    const timer = setInterval(work, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
