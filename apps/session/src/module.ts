import { subjectOf } from '@adaos/contracts';
import { serveAll, type BaseDeps, type Module } from '@adaos/runtime';
import { bootstrapOperatorId, leaseRows, operatorRows, type Store } from '@adaos/store';
import { handlers } from './handlers.js';
import type { LeaseDeps } from './leases.js';
import { tokenHmac } from './token.js';

export interface SessionDeps extends BaseDeps {
  readonly store: Store;
  /** 32 bytes; stored bearer hashes are keyed with it. */
  readonly hmac_key: Buffer;
  /** SHA-256 (hex) of the first operator's token, chosen by whoever deploys the zone; the token itself never gets here. */
  readonly bootstrap_operator_digest: string | null;
}

/** Leases, operators and what a bearer may do. */
export const session: Module<SessionDeps> = {
  name: 'session',
  async start(deps) {
    const { zone, bus, store, hmac_key, ids, clock } = deps;
    const leases = leaseRows(store.sql, { now: () => new Date(clock.now()) });
    const operators = operatorRows(store.sql);
    if (deps.bootstrap_operator_digest) {
      await operators.upsertBootstrap({
        operator_id: bootstrapOperatorId(zone),
        token_hmac: tokenHmac(hmac_key, deps.bootstrap_operator_digest),
        name: 'bootstrap',
        role: 'admin',
        zone,
      });
    }
    const announceRevoked: LeaseDeps['announceRevoked'] = (lease, epoch) =>
      bus.publish(subjectOf('lease_revoked'), {
        lease_id: lease.session_id,
        target_id: lease.target_id,
        epoch,
      });
    return serveAll(
      bus,
      'session',
      handlers({ zone, hmac_key, leases, operators, ids, now: clock.now, announceRevoked }),
    );
  },
};
