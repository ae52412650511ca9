import type { Bus } from '@adaos/bus';
import type { Grant } from '@adaos/contracts';
import type { Clock, Ids } from '@adaos/runtime';
import type { PolicyRows } from '@adaos/store';
import type { ActivePolicies } from './active-policies.js';

/** What the tools of the policy service work with. */
export interface PolicyToolDeps {
  readonly zone: string;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly rows: PolicyRows;
  readonly active: ActivePolicies;
}

/** The one subnet an operator has, of the grant that router sends along; null for the whole zone. */
export const subnetOf = (grant: unknown): string | null => (grant as Grant | undefined)?.subnet_id ?? null;
