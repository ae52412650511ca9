import { createMemoryLimits } from '@adaos/limits/memory';
import type { Clock, Log, Stop } from '@adaos/runtime';
import { targetRows, type Store } from '@adaos/store';
import type { SessionParts } from '../parts.js';
import type { AdmissionDeps } from './handlers.js';
import { createProver } from './prove.js';
import type { Trust } from './trust.js';

/** A zone that trusts no issuer: leases and operator tokens only. */
const NOBODY: Trust = { oidc: null, oauth: null, clock_skew_s: 0 };
/** Milliseconds between sweeps of rows whose token has ended. */
const SWEEP_MS = 600_000;

export interface AdmissionOptions {
  readonly trust?: Trust;
  readonly keys_cooldown_ms?: number;
}

/** What session needs to admit who comes by a trusted issuer, and how to stop it. */
export function startAdmissions(
  parts: SessionParts & { clock: Clock; log: Log; store: Store },
  { trust = NOBODY, keys_cooldown_ms }: AdmissionOptions,
): { deps: AdmissionDeps; stop: Stop } {
  const { log, clock, store, admissions } = parts;
  const limits = createMemoryLimits();
  const cooldown = keys_cooldown_ms === undefined ? {} : { keys_cooldown_ms };
  const prover = createProver({ clock, log, limits, ...cooldown }, trust);
  const stopSweep = clock.every(
    SWEEP_MS,
    () =>
      void admissions.sweep().catch((error: unknown) => {
        const { message } = error as { message?: string };
        log.warn({ reason: message }, 'ended admissions were not swept');
      }),
  );
  return {
    deps: { ...parts, targets: targetRows(store.sql), trust, prover },
    async stop() {
      stopSweep();
      await limits.close();
    },
  };
}
