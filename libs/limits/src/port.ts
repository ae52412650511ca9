/** Points per window. The window starts with its first point; it is whole seconds, at least one. */
export interface Rate {
  readonly points: number;
  readonly duration_s: number;
}

export interface Taken {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Milliseconds until a point is free again; 0 when allowed. */
  readonly retry_after_ms: number;
  /** True while shared counters are away and this replica counts alone, under a lower cap. */
  readonly degraded: boolean;
}

export interface Slot {
  readonly allowed: boolean;
  readonly in_use: number;
  readonly degraded: boolean;
  /** Gives the slot back; calling it twice, or for a refused one, does nothing. */
  release(): Promise<void>;
}

/**
 * Rate and concurrency limits shared by replicas. Implementations: `memory.ts`, `redis.ts`; both pass `limits.suite.ts`. Never throws: what can't be
 * counted together is counted alone, and says so.
 */
export interface Limits {
  take(key: string, rate: Rate): Promise<Taken>;
  /** One of `max` slots. It frees itself `ttl_ms` after its holder died; a living holder renews it until `release`. */
  acquire(key: string, max: number, ttl_ms: number): Promise<Slot>;
  /** Gives back the slots that are still held. */
  close(): Promise<void>;
}
