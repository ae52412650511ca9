import type { ManagedTarget } from '@adaos/contracts';
import { useId, useState, type FormEvent } from 'react';
import { FailureNote } from '../parts/states.js';
import { ToolList } from '../parts/tool-list.js';
import { printable } from '../text/printable.js';
import { sayDuration } from '../text/time.js';
import { TTL_CHOICES, TTL_DEFAULT } from '../text/ttl.js';
import type { Profile } from '../zone-api/zone.js';

export interface IssueArguments {
  readonly target_id: string;
  readonly capability_profile: string;
  readonly ttl_seconds: number;
  readonly note?: string;
}

interface IssueFormProps {
  readonly targets: readonly ManagedTarget[];
  readonly profiles: readonly Profile[];
  /** Preselected by the link that led here. */
  readonly target_id: string | null;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onIssue: (args: IssueArguments) => void;
}

/** The least that a look needs is preselected: a profile that only reads, for the default life. */
const FIRST_PROFILE = 'InfraOpsRead';

export function IssueForm({ targets, profiles, target_id, busy, error, onIssue }: IssueFormProps) {
  const id = useId();
  const [target, setTarget] = useState(
    targets.find((t) => t.target_id === target_id)?.target_id ?? targets[0]!.target_id,
  );
  const [profile_id, setProfile] = useState(
    profiles.find((p) => p.profile_id === FIRST_PROFILE)?.profile_id ?? profiles[0]?.profile_id ?? '',
  );
  const [ttl_seconds, setTtl] = useState(TTL_DEFAULT);
  const [note, setNote] = useState('');
  const profile = profiles.find((p) => p.profile_id === profile_id);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const said = note.trim();
    onIssue({ target_id: target, capability_profile: profile_id, ttl_seconds, ...(said && { note: said }) });
  };

  return (
    <form className="issue" onSubmit={submit}>
      <div className="issue-fields">
        <label className="field" htmlFor={`${id}-target`}>
          Target
          <select id={`${id}-target`} value={target} onChange={(event) => setTarget(event.target.value)}>
            {targets.map((t) => (
              <option key={t.target_id} value={t.target_id}>
                {printable(`${t.title} (${t.target_id}, ${t.environment}, ${t.status})`)}
              </option>
            ))}
          </select>
        </label>
        <label className="field" htmlFor={`${id}-profile`}>
          Profile
          <select
            id={`${id}-profile`}
            value={profile_id}
            onChange={(event) => setProfile(event.target.value)}
          >
            {profiles.map((p) => (
              <option key={p.profile_id} value={p.profile_id}>
                {`${p.profile_id}: ${p.title}`}
              </option>
            ))}
          </select>
        </label>
        <label className="field" htmlFor={`${id}-ttl`}>
          Life
          <select
            id={`${id}-ttl`}
            value={ttl_seconds}
            onChange={(event) => setTtl(Number(event.target.value))}
          >
            {TTL_CHOICES.map((seconds) => (
              <option key={seconds} value={seconds}>
                {sayDuration(seconds)}
              </option>
            ))}
          </select>
        </label>
        <label className="field" htmlFor={`${id}-note`}>
          Note
          <textarea
            id={`${id}-note`}
            rows={2}
            maxLength={500}
            value={note}
            placeholder="who gets it, and what for"
            onChange={(event) => setNote(event.target.value)}
          />
        </label>
        {error !== null && <FailureNote title="No lease was issued." error={error} />}
        <p>
          <button type="submit" className="button button-main" disabled={busy}>
            {busy ? 'Issuing…' : 'Issue the lease'}
          </button>
        </p>
      </div>
      {profile && (
        <div className="issue-profile">
          <h2>What {profile.profile_id} may do</h2>
          <p>{profile.summary}</p>
          <ToolList tools={profile.tools} />
        </div>
      )}
    </form>
  );
}
