import type { SessionLease } from '@adaos/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Confirm } from '../parts/confirm.js';
import { FailureNote } from '../parts/states.js';
import { Text } from '../parts/words.js';
import { shortId } from '../text/ids.js';
import { act } from '../zone-api/exchange.js';

/** Takes a lease back, after asking; the reason given stands in the lease and in the record. */
export function RevokeButton({ lease }: { lease: SessionLease }) {
  const { session_id, capability_profile, target_id } = lease;
  const client = useQueryClient();
  const field = useId();
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () =>
      act(
        `/sessions/${encodeURIComponent(session_id)}/revoke`,
        reason.trim() ? { reason: reason.trim() } : {},
      ),
    onSuccess: async () => {
      setAsking(false);
      await client.invalidateQueries({ queryKey: ['leases'] });
    },
  });
  const close = () => {
    setAsking(false);
    reset();
  };
  return (
    <>
      <button
        type="button"
        className="button button-quiet-danger"
        aria-label={`Revoke ${shortId(session_id)}`}
        onClick={() => setAsking(true)}
      >
        Revoke
      </button>
      {asking && (
        <Confirm
          title="Revoke this lease?"
          verb="Revoke"
          busy={isPending}
          onConfirm={() => mutate()}
          onCancel={close}
        >
          <p>
            The client with <Text>{shortId(session_id)}</Text> (
            <Text>{`${capability_profile} on ${target_id}`}</Text>) is locked out at once, on every replica. A
            result still under way is withheld. This can not be undone.
          </p>
          <label className="field" htmlFor={field}>
            Reason
            <input
              id={field}
              value={reason}
              maxLength={500}
              placeholder="optional, for the record"
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
          {error && <FailureNote title="The lease was not revoked." error={error} />}
        </Confirm>
      )}
    </>
  );
}
