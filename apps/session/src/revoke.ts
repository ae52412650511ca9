import { OpError, type ExecRequest } from '@adaos/contracts';
import type { Credential, CredentialKind } from '@adaos/store';
import { scopeOf } from './issue.js';
import type { SessionParts } from './parts.js';

/** Ends a credential in the caller's reach with its family, on every replica. Unknown and foreign ids look alike. */
export async function revokeCredential(
  parts: SessionParts,
  kind: CredentialKind,
  id: string,
  reason: string | undefined,
  request: ExecRequest,
  missing: () => OpError,
): Promise<Credential> {
  const { leases, journal, zone } = parts;
  const ended = await leases.revoke(id, request.actor, reason ?? '', scopeOf(zone, kind, request));
  if (!ended) throw missing();
  // Told again on a repeat: a replica that missed the first telling hears the second.
  for (const one of [ended.lease, ...ended.descendants]) {
    journal.announce(one.session_id, one.target_id, ended.epoch);
    if (ended.changed) journal.revoked(one, request);
  }
  return ended.lease;
}
