import type { Bus, Subscription } from '@adaos/bus';
import type { Registry } from 'prom-client';
import type { Clock } from './clock.js';
import type { Ids } from './ids.js';
import type { Log } from './log.js';

/** What every service is given; a service's own needs (store, limits, config) are added to it. */
export interface BaseDeps {
  readonly zone: string;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Where a service registers its metrics; without one it keeps them to itself. */
  readonly metrics?: Registry;
}

/** Drains and stops; resolves within the bound the runner sets. */
export type Stop = () => Promise<void>;

/** A service as a value (conventions 8). `apps/<service>` runs one, `apps/zone` all of them. */
export interface Module<Deps extends BaseDeps = BaseDeps> {
  readonly name: string;
  start(deps: Deps): Promise<Stop>;
}

/**
 * Stops subscriptions and timers in reverse order of their making. A stop that fails keeps none of the others from running: a bus left
 * open or a child left alive outlives the process's good intentions. The first error is thrown once all have run.
 */
export function stopAll(parts: readonly (Subscription | (() => void | Promise<void>))[]): Stop {
  return async () => {
    const errors: unknown[] = [];
    for (const part of [...parts].reverse()) {
      try {
        await (typeof part === 'function' ? part() : part.stop());
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  };
}
