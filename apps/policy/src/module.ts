import type { KeyObject } from 'node:crypto';
import { subjectOf } from '@adaos/contracts';
import { serveAll, type BaseDeps, type Module } from '@adaos/runtime';
import { createDecider } from './decide.js';
import { handlers } from './handlers.js';
import { loadPolicySet } from './policy-set.js';

export interface PolicyDeps extends BaseDeps {
  /** Directory with `schema.cedarschema` and `guard/*.cedar`. */
  readonly policy_dir: string;
  /** Ed25519 private key that signs permits; the agents hold the public half. */
  readonly permit_key: KeyObject;
}

/** The policy decision point: looks nothing up, decides on the facts it is given, signs what it allows. */
export const policy: Module<PolicyDeps> = {
  name: 'policy',
  async start(deps) {
    const set = loadPolicySet(deps.policy_dir);
    deps.log.info({ revision: set.revision, rules: set.rules.size }, 'policies loaded');
    const stop = serveAll(
      deps.bus,
      'policy',
      handlers({ ...deps, revision: set.revision, decide: createDecider(set, { memo_size: 20_000 }) }),
    );
    // Replicas that cached decisions of an older revision drop them now.
    deps.bus.publish(subjectOf('policy_changed'), { revision: set.revision });
    return stop;
  },
};
