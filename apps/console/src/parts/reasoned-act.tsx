import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { act } from '../zone-api/exchange.js';
import { Confirm } from './confirm.js';
import { FailureNote } from './states.js';

interface ReasonedActProps {
  readonly verb: string;
  /** What it is done to, for who hears the button and does not see its row. */
  readonly on: string;
  readonly title: string;
  /** Title of the failure note. */
  readonly failed: string;
  /** Below /v1/root/mcp. */
  readonly path: string;
  /** Lists that have changed by it. */
  readonly changes: string;
  readonly harmless?: boolean;
  readonly placeholder?: string;
  /** What it does, in the dialog. */
  readonly children: ReactNode;
}

/** A button that asks first and takes a reason, which stands in the record. */
export function ReasonedAct({
  verb,
  on,
  title,
  failed,
  path,
  changes,
  harmless = false,
  placeholder = 'optional, for the record',
  children,
}: ReasonedActProps) {
  const client = useQueryClient();
  const field = useId();
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => act(path, reason.trim() ? { reason: reason.trim() } : {}),
    onSuccess: async () => {
      setAsking(false);
      await client.invalidateQueries({ queryKey: [changes] });
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
        className={harmless ? 'button button-main' : 'button button-quiet-danger'}
        aria-label={`${verb} ${on}`}
        onClick={() => setAsking(true)}
      >
        {verb}
      </button>
      {asking && (
        <Confirm
          title={title}
          verb={verb}
          harmless={harmless}
          busy={isPending}
          onConfirm={() => mutate()}
          onCancel={close}
        >
          {children}
          <label className="field" htmlFor={field}>
            Reason
            <input
              id={field}
              value={reason}
              maxLength={500}
              placeholder={placeholder}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
          {error && <FailureNote title={failed} error={error} />}
        </Confirm>
      )}
    </>
  );
}
