/** Milliseconds without a try after a failure. */
const COOL_DOWN_MS = 1_000;

export interface Circuit {
  /** Runs `work`, or answers null at once while the other side is known to be away. A failure of `work` answers null too. */
  run<T>(work: () => Promise<T>): Promise<T | null>;
  /** The other side came back: the next call is tried. */
  reset(): void;
}

/**
 * Spares callers the timeout of a part that is away: after a failure nothing is tried for a second, then one call tries while the others
 * still go without. `onFailure` is told of each failure.
 */
export function createCircuit(deps: { now: () => number; onFailure: (error: unknown) => void }): Circuit {
  let open_until = 0;
  let probing = false;
  return {
    async run(work) {
      const was_open = open_until > 0;
      if (was_open && (probing || deps.now() < open_until)) return null;
      probing = was_open;
      try {
        const result = await work();
        open_until = 0;
        return result;
      } catch (error) {
        open_until = deps.now() + COOL_DOWN_MS;
        deps.onFailure(error);
        return null;
      } finally {
        if (was_open) probing = false;
      }
    },
    reset() {
      open_until = 0;
      probing = false;
    },
  };
}
