import type { Approval } from '@adaos/contracts';
import { ReasonedAct } from '../parts/reasoned-act.js';
import { Code, Text } from '../parts/words.js';
import { shortId } from '../text/ids.js';

const SAID = {
  approve: {
    verb: 'Approve',
    title: 'Approve this change?',
    effect: 'The client may make this one call, once, within the hour.',
    failed: 'The change was not approved.',
    placeholder: 'optional, for the record',
  },
  reject: {
    verb: 'Reject',
    title: 'Reject this change?',
    effect: 'The call is refused, and the client is told your reason.',
    failed: 'The change was not rejected.',
    placeholder: 'the client reads it',
  },
} as const;

/** A yes or a no to one change, after showing what it is to; the reason stands in the approval and in the record. */
export function DecideButton({ approval, say }: { approval: Approval; say: keyof typeof SAID }) {
  const { approval_id, tool_id, target_id } = approval;
  const { effect, ...said } = SAID[say];
  return (
    <ReasonedAct
      {...said}
      on={shortId(approval_id)}
      path={`/approvals/${encodeURIComponent(approval_id)}/${say}`}
      changes="approvals"
      harmless={say === 'approve'}
    >
      <p>
        <Code>{tool_id}</Code> on <Text>{target_id ?? 'the zone'}</Text> with{' '}
        <Code>{JSON.stringify(approval.arguments)}</Code>
      </p>
      <p>{effect}</p>
    </ReasonedAct>
  );
}
