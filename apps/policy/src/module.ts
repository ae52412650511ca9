import type { KeyObject } from 'node:crypto';
import { PolicyChanged, subjectOf, validator } from '@adaos/contracts';
import { readGuards } from '@adaos/policy-engine';
import { serveAll, stopAll, type BaseDeps, type Module } from '@adaos/runtime';
import { policyRows, type Store } from '@adaos/store';
import { createActivePolicies } from './active-policies.js';
import { handlers } from './handlers.js';

export interface PolicyDeps extends BaseDeps {
  readonly store: Pick<Store, 'sql'>;
  /** Brings the schema up to date where that was not possible at the start; called until it resolves. */
  readonly prepare?: () => Promise<void>;
  /** Directory with `schema.cedarschema` and `guard/*.cedar`. */
  readonly policy_dir: string;
  /** Directory with the zone's own `*.cedar` files. */
  readonly zone_policy_dir?: string;
  /** Keeps what is in force for a start without the database. */
  readonly last_good_file?: string;
  /** Ed25519 private key that signs permits; the agents hold the public half. */
  readonly permit_key: KeyObject;
}

const isChanged = validator<PolicyChanged>(PolicyChanged);

/** The policy decision point: decides on the facts it is given by guards and zone policies, signs what it allows. */
export const policy: Module<PolicyDeps> = {
  name: 'policy',
  async start(deps) {
    const { bus, log } = deps;
    const rows = policyRows(deps.store.sql, deps.zone);
    const active = createActivePolicies({
      ...deps,
      rows,
      prepare: deps.prepare ?? (async () => undefined),
      guards: readGuards(deps.policy_dir),
      zone_policy_dir: deps.zone_policy_dir ?? null,
      last_good_file: deps.last_good_file ?? null,
      announce: (revision, version) => bus.publish(subjectOf('policy_changed'), { revision, version }),
    });
    await active.sync();
    const heard = bus.subscribe(subjectOf('policy_changed'), (body) => {
      try {
        active.heard(isChanged(body).version ?? 0);
      } catch {
        log.warn({ event: 'policy_changed' }, 'an event breaks its contract');
      }
    });
    return stopAll([
      () => active.stop(),
      heard,
      serveAll(bus, 'policy', handlers({ ...deps, active, rows })),
    ]);
  },
};
