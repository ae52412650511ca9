import type { SessionLease } from '@adaos/contracts';
import { ReasonedAct } from '../parts/reasoned-act.js';
import { Text } from '../parts/words.js';
import { shortId } from '../text/ids.js';

/** Takes a lease back, after asking; the reason given stands in the lease and in the record. */
export const RevokeButton = ({
  lease: { session_id, capability_profile, target_id },
}: {
  lease: SessionLease;
}) => (
  <ReasonedAct
    verb="Revoke"
    on={shortId(session_id)}
    title="Revoke this lease?"
    failed="The lease was not revoked."
    path={`/sessions/${encodeURIComponent(session_id)}/revoke`}
    changes="leases"
  >
    <p>
      The client with <Text>{shortId(session_id)}</Text> (
      <Text>{`${capability_profile} on ${target_id}`}</Text>) is locked out at once, on every replica. A
      result still under way is withheld. This can not be undone.
    </p>
  </ReasonedAct>
);
