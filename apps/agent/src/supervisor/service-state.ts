/** A supervised service as hub tools report it (contracts, ServiceState). */
export interface ServiceView {
  readonly name: string;
  readonly state: 'running' | 'starting' | 'stopping' | 'stopped' | 'crash_loop';
  readonly pid: number | null;
  readonly restarts: number;
  readonly started_at: string | null;
  readonly last_exit: {
    readonly code: number | null;
    readonly signal: string | null;
    readonly at: string;
  } | null;
}

/** Why a program could not be started, in words that name no path. */
export type StartFault = 'not_found' | 'not_permitted' | 'not_startable';

export function startFaultOf(error: unknown): StartFault {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'not_found';
  return code === 'EACCES' || code === 'EPERM' ? 'not_permitted' : 'not_startable';
}

const MAX_BACKOFF_MS = 30_000;

/** Milliseconds before the n-th restart in a row (n from 1): doubled each time, at most 30 s. */
export const backoffMs = (first_ms: number, n: number): number =>
  Math.min(first_ms * 2 ** Math.min(n - 1, 20), MAX_BACKOFF_MS);

/** A run this long ends a row of crashes: the next one is a new trouble, not the old one going on. */
export const stableMs = (observe_ms: number): number => Math.max(10_000, 2 * observe_ms);
