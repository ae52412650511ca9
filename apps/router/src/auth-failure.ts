import type { ErrorBody, ErrorCode } from '@adaos/contracts';
import type { EventDraft } from './draft.js';

const AUTH_CODES = new Set<ErrorCode>([
  'unauthenticated',
  'lease_expired',
  'lease_revoked',
  'zone_mismatch',
  'scope_mismatch',
]);

/**
 * Before a grant is known, an authentication failure is its own kind of event, with whose lease it was where session knows. The answer
 * does not repeat that: whoever holds a dead bearer learns no ids from it.
 */
export function asAuthFailure(draft: EventDraft, body: ErrorBody): ErrorBody {
  if (!AUTH_CODES.has(body.code)) return body;
  const { details } = body;
  draft.event.event_type = 'auth.denied';
  if (typeof details?.['grant_id'] === 'string') draft.event.lease_id = details['grant_id'];
  if (typeof details?.['actor'] === 'string') draft.event.actor = details['actor'];
  return { code: body.code, message: body.message };
}
