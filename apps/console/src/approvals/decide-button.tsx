import type { Approval } from '@adaos/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Confirm } from '../parts/confirm.js';
import { FailureNote } from '../parts/states.js';
import { Code, Text } from '../parts/words.js';
import { shortId } from '../text/ids.js';
import { act } from '../zone-api/exchange.js';

const SAID = {
  approve: {
    verb: 'Approve',
    title: 'Approve this change?',
    effect: 'The client may make this one call, once, within the hour.',
    failed: 'The change was not approved.',
    className: 'button button-main',
  },
  reject: {
    verb: 'Reject',
    title: 'Reject this change?',
    effect: 'The call is refused, and the client is told your reason.',
    failed: 'The change was not rejected.',
    className: 'button button-quiet-danger',
  },
} as const;

/** A yes or a no to one change, after showing what it is to; the reason stands in the approval and in the record. */
export function DecideButton({ approval, say }: { approval: Approval; say: keyof typeof SAID }) {
  const { approval_id, tool_id, target_id } = approval;
  const { verb, title, effect, failed, className } = SAID[say];
  const client = useQueryClient();
  const field = useId();
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () =>
      act(
        `/approvals/${encodeURIComponent(approval_id)}/${say}`,
        reason.trim() ? { reason: reason.trim() } : {},
      ),
    onSuccess: async () => {
      setAsking(false);
      await client.invalidateQueries({ queryKey: ['approvals'] });
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
        className={className}
        aria-label={`${verb} ${shortId(approval_id)}`}
        onClick={() => setAsking(true)}
      >
        {verb}
      </button>
      {asking && (
        <Confirm
          title={title}
          verb={verb}
          harmless={say === 'approve'}
          busy={isPending}
          onConfirm={() => mutate()}
          onCancel={close}
        >
          <p>
            <Code>{tool_id}</Code> on <Text>{target_id ?? 'the zone'}</Text> with{' '}
            <Code>{JSON.stringify(approval.arguments)}</Code>
          </p>
          <p>{effect}</p>
          <label className="field" htmlFor={field}>
            Reason
            <input
              id={field}
              value={reason}
              maxLength={500}
              placeholder={say === 'reject' ? 'the client reads it' : 'optional, for the record'}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
          {error && <FailureNote title={failed} error={error} />}
        </Confirm>
      )}
    </>
  );
}
