import type { Ids } from '@adaos/runtime';

/** Ids that count: `evt_1`, `evt_2`, so that a test can name them. */
export function countingIds(): Ids {
  const counts = new Map<string, number>();
  const next = (prefix: string) => {
    const n = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, n);
    return n;
  };
  return {
    next: (prefix) => `${prefix}_${next(prefix)}`,
    trace: () => next('trace').toString(16).padStart(32, '0'),
    bearer: (prefix) => `${prefix}_${String(next(`bearer-${prefix}`)).padStart(43, '0')}`,
  };
}
