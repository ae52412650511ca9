import { sha256 } from '@adaos/contracts';
import type { Ids } from '@adaos/runtime';
import type { AdmissionRows, LeaseRows, OperatorRows } from '@adaos/store';
import type { Journal } from './journal.js';
import { tokenHmac } from './token.js';

/** What the tools of this service work with; made once at start. */
export interface SessionParts {
  readonly zone: string;
  /** The newest first: it hashes what is issued, all are tried on what is presented. */
  readonly hmac_keys: readonly Buffer[];
  readonly leases: LeaseRows;
  readonly operators: OperatorRows;
  readonly admissions: AdmissionRows;
  readonly ids: Ids;
  readonly now: () => number;
  readonly journal: Journal;
  /** URL of the zone as native clients reach it; null where this process is not told. */
  readonly root_url: () => string | null;
  /** Id of the operator whose token and role the configuration sets; null when it names none. */
  readonly configured_operator_id: string | null;
}

/** A new bearer and what is stored of it. The bearer goes into one answer and nowhere else. */
export function newBearer(
  { ids, hmac_keys }: Pick<SessionParts, 'ids' | 'hmac_keys'>,
  prefix: Parameters<Ids['bearer']>[0],
) {
  const bearer = ids.bearer(prefix);
  return { bearer, token_hmac: tokenHmac(hmac_keys[0]!, sha256(bearer)) };
}
