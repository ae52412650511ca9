import type { CallRequest, Grant } from '@adaos/contracts';
import type { Limits } from '@adaos/limits';
import type { GrantCache } from './grants.js';
import { takeCall } from './guard.js';
import type { Refusals } from './refusals.js';

export interface AdmissionDeps {
  readonly grants: GrantCache;
  readonly refusals: Refusals;
  /** Counters of this replica alone, for what must not cost a hop. */
  readonly local_limits: Limits;
}

/**
 * Who asks, for every request: limits on failures first, then the bearer. `known` hears of the grant before the limits on it are looked
 * at, so that also a refusal by them is recorded as whose it was. Throws OpError(unauthenticated, lease_*, rate_limited).
 */
export async function admitBearer(
  { grants, refusals, local_limits }: AdmissionDeps,
  request: Pick<CallRequest, 'bearer_digest' | 'client'>,
  known: (grant: Grant) => void,
): Promise<Grant> {
  refusals.beforeBearer(request);
  const grant = await grants.resolve(request.bearer_digest);
  known(grant);
  refusals.afterBearer(request, grant);
  await takeCall(local_limits, grant);
  return grant;
}
