import type { StoredEvent } from '@adaos/contracts';
import { Link } from '../parts/link.js';
import { Code, Text } from '../parts/words.js';
import { href } from '../route.js';
import { adviceFor, type Step } from '../text/advice.js';
import { isLeaseId } from '../text/ids.js';
import { printable } from '../text/printable.js';

const QUESTIONS: Partial<Record<StoredEvent['status'], string>> = {
  denied: 'Why was it denied?',
  failed: 'Why did it fail?',
  timed_out: 'Why was there no answer?',
  cancelled: 'Why was it cancelled?',
  approval_required: 'What does it wait for?',
};

/** Why a call was refused or failed, and what to do: the answer an operator comes for. Nothing for one that went well. */
export function Why({ event }: { event: StoredEvent }) {
  const { error, status, determining_rules } = event;
  if (!error) return null;
  const { why, act, step } = adviceFor(error.code, determining_rules);
  // The decision has a part of its own below.
  const details = Object.entries(error.details ?? {}).filter(([name]) => name !== 'decision_id');
  const next = step && linkOf(step, event);
  return (
    <section className={`why why-${status === 'denied' ? 'warn' : 'bad'}`} aria-label="Why, and what to do">
      <h3>{QUESTIONS[status] ?? 'What went wrong?'}</h3>
      <p>{why}</p>
      <h3>What do I do?</h3>
      <p>{act}</p>
      {next && (
        <p>
          <Link className="button" to={next.to}>
            {next.label}
          </Link>
        </p>
      )}
      <dl className="why-told">
        <div>
          <dt>Code</dt>
          <dd>
            <Code>{error.code}</Code>
          </dd>
        </div>
        <div>
          <dt>Client was told</dt>
          <dd>
            <Text>{error.message}</Text>
          </dd>
        </div>
        {details.map(([name, value]) => (
          <div key={name}>
            <dt>{printable(name)}</dt>
            <dd>
              <Code>{typeof value === 'string' ? value : JSON.stringify(value)}</Code>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Where the step can be taken; null when the event does not say on what. */
function linkOf(
  step: Step,
  { lease_id, target_id, trace_id, approval_id }: StoredEvent,
): { to: string; label: string } | null {
  switch (step) {
    case 'lease':
      return isLeaseId(lease_id) ? { to: href(['leases', lease_id]), label: 'Open the lease' } : null;
    case 'new_lease':
      return { to: href(['leases', 'new'], { target: target_id ?? undefined }), label: 'Issue a lease' };
    case 'target':
      return target_id === null ? null : { to: href(['targets', target_id]), label: 'Open the target' };
    case 'approval':
      return approval_id ? { to: href(['approvals', approval_id]), label: 'Open the approval' } : null;
    case 'trace':
      return { to: href(['events'], { trace: trace_id }), label: 'Show the whole trace' };
  }
}
