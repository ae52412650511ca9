import type { StoredEvent } from '@adaos/contracts';

/** One stretch of a call, in milliseconds. */
export interface Stretch {
  readonly name: string;
  readonly ms: number;
}

/** The laps of the pipeline in the order they are run (contracts.md, "Operational event"). */
const LAPS = [
  ['session_ms', 'session'],
  ['policy_ms', 'policy'],
  ['open_ms', 'record'],
  ['dispatch_ms', 'target'],
] as const;

/** What a call spent its time on, and how much of it was the adapter's. `other` is what no lap covers. Null when nothing was timed. */
export function timingParts(
  timings: StoredEvent['timings'],
): { total_ms: number; adapter_ms: number | null; parts: Stretch[] } | null {
  const total_ms = timings['total_ms'];
  if (total_ms === undefined) return null;
  const parts: Stretch[] = LAPS.flatMap(([key, name]) => {
    const ms = timings[key];
    return ms === undefined ? [] : [{ name, ms }];
  });
  const other = total_ms - parts.reduce((sum, { ms }) => sum + ms, 0);
  if (other > 0) parts.push({ name: 'other', ms: other });
  return { total_ms, adapter_ms: timings['adapter_ms'] ?? null, parts };
}
