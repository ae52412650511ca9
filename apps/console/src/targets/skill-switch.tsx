import type { ManagedTarget } from '@adaos/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.js';
import { FailureNote } from '../parts/states.js';
import { Text } from '../parts/words.js';
import { act } from '../zone-api/exchange.js';

/** Switches infra_access_skill on or off. Both reach every client of the hub, so both ask first. */
export function SkillSwitch({ target }: { target: ManagedTarget }) {
  const { target_id, title, operational_surface } = target;
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const enables = operational_surface.skill.state !== 'enabled';
  const verb = enables ? 'Enable the skill' : 'Disable the skill';
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () =>
      act(`/targets/${encodeURIComponent(target_id)}/skill`, { state: enables ? 'enabled' : 'disabled' }),
    onSuccess: async () => {
      setAsking(false);
      await client.invalidateQueries({ queryKey: ['targets'] });
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
        className={enables ? 'button button-main' : 'button'}
        onClick={() => setAsking(true)}
      >
        {verb}
      </button>
      {asking && (
        <Confirm title={`${verb}?`} verb={verb} busy={isPending} onConfirm={() => mutate()} onCancel={close}>
          <p>
            {enables ? 'Clients with a lease reach ' : 'Nobody will reach '}
            <strong>
              <Text>{title}</Text>
            </strong>{' '}
            {enables
              ? 'again, with the tools that its policy and its agent publish.'
              : 'until it is enabled again: nothing is published, and every call to the hub is refused. Leases stay as they are.'}
          </p>
          {error && <FailureNote title="It stays as it is." error={error} />}
        </Confirm>
      )}
    </>
  );
}
