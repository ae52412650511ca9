import { createRecorder, serveAll, stopAll, type BaseDeps, type Module } from '@adaos/runtime';
import { admissionRows, bootstrapOperatorId, leaseRows, operatorRows, type Store } from '@adaos/store';
import { startAdmissions, type AdmissionOptions } from './admissions/start.js';
import { handlers } from './handlers.js';
import { createJournal } from './journal.js';
import type { SessionParts } from './parts.js';
import { startSweep } from './sweep.js';
import { tokenHmacs } from './token.js';

export { IdentitySettings } from './admissions/settings.js';
export { readTrust, type Trust } from './admissions/trust.js';

/** `trust`: issuers whose tokens and sign-ins are taken; none when left out. */
export interface SessionDeps extends BaseDeps, AdmissionOptions {
  readonly store: Store;
  /** 32 bytes each, the newest first; stored bearer hashes are keyed with it, older ones are still found. */
  readonly hmac_keys: readonly Buffer[];
  /** SHA-256 (hex) of the first operator's token, chosen by whoever deploys the zone; the token itself never gets here. */
  readonly bootstrap_operator_digest: string | null;
  /** URL of the zone for native clients, where it is known. Asked at each issue: the port may open after this service starts. */
  readonly root_url: () => string | null;
}

/** Milliseconds a stop waits for records that are on their way. */
const DRAIN_MS = 4_000;

/** Leases, tokens, keys, operators and what a bearer may do. */
export const session: Module<SessionDeps> = {
  name: 'session',
  async start(deps) {
    const { zone, bus, store, hmac_keys, ids, clock, log, root_url } = deps;
    const time = { now: () => new Date(clock.now()) };
    const leases = leaseRows(store.sql, time);
    const operators = operatorRows(store.sql, time);
    const admissions = admissionRows(store.sql, time);
    const digest = deps.bootstrap_operator_digest;
    if (digest !== null) {
      await operators.upsertBootstrap({
        operator_id: bootstrapOperatorId(zone),
        token_hmacs: tokenHmacs(hmac_keys, digest),
        name: 'bootstrap',
        role: 'admin',
        zone,
      });
    }
    const recorder = createRecorder({ bus, source: 'session', log });
    const journal = createJournal({ zone, bus, ids, now: clock.now, recorder, log });
    const parts: SessionParts = {
      ...{ zone, hmac_keys, leases, operators, admissions, ids, journal, root_url },
      now: clock.now,
      configured_operator_id: digest === null ? null : bootstrapOperatorId(zone),
    };
    const admitting = startAdmissions({ ...parts, clock, log, store }, deps);
    return stopAll([
      () => recorder.drain(DRAIN_MS),
      admitting.stop,
      startSweep({ zone, clock, leases, journal, log }),
      serveAll(bus, 'session', handlers({ ...parts, ...admitting.deps })),
    ]);
  },
};
