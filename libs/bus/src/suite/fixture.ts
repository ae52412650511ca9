import type { BusUser } from '@adaos/contracts';
import { BusError, type Bus, type BusFault } from '../port.js';

/** A broker of its own for one test: every bus user may connect, hubs `h1` and `h2` exist, the subject table's permissions hold. */
export interface BusFixture {
  connect(user: BusUser, hub_id?: string): Promise<Bus>;
  close(): Promise<void>;
}

export const BOUNDS = { queue: 'suite', max_concurrency: 64 } as const;

/** Polls until `check` answers something true; fails after `within_ms`, naming what it waited for (before jest ends the test without a name). */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  within_ms = 20_000,
): Promise<T> {
  const ends_at = Date.now() + within_ms;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > ends_at) throw new Error(`waited ${within_ms} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Resolves once the broker has seen all that this connection did so far: a request that nobody may answer is refused in order, so its
 * refusal is the round trip.
 */
export async function settled(...buses: Bus[]): Promise<void> {
  for (const bus of buses) await bus.request('suite.round_trip', null, { timeout_ms: 5_000 }).catch(() => {});
}

/** The fault of a promise that must fail with a BusError. */
export async function faultOf(work: Promise<unknown> | (() => unknown)): Promise<BusFault> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof BusError) return error.fault;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Runs what the broker may refuse: in-process throws at once, NATS refuses later and in silence. */
export function attempt(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof BusError && error.fault === 'forbidden')) throw error;
  }
}

/** A promise and its resolver. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
