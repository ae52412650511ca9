import type { Approval } from '@adaos/contracts';
import { DecideButton } from '../approvals/decide-button.js';
import { Badge } from '../parts/badge.js';
import { Link } from '../parts/link.js';
import { Facts, Page, Panel } from '../parts/page.js';
import { FailureNote, Loading } from '../parts/states.js';
import { Code, None, Text, Time } from '../parts/words.js';
import { href } from '../route.js';
import { isLeaseId, shortId } from '../text/ids.js';
import { APPROVAL_LOOKS, lookOf } from '../text/looks.js';
import { useApproval } from '../zone-api/approvals.js';

/** One change as it would be made: what a reviewer needs to say yes or no. A stopped client's link leads here. */
export function ApprovalPage({ approval_id }: { approval_id: string }) {
  const { data: approval, error, refetch } = useApproval(approval_id);
  return (
    <Page
      title={`Approval ${shortId(approval_id)}`}
      aside={
        approval && (
          <>
            <Badge look={lookOf(APPROVAL_LOOKS, approval.status)} />
            {approval.status === 'pending' && (
              <span className="page-acts">
                <DecideButton approval={approval} say="approve" />
                <DecideButton approval={approval} say="reject" />
              </span>
            )}
          </>
        )
      }
    >
      {error && !approval && (
        <FailureNote title="The approval could not be read." error={error} retry={() => void refetch()} />
      )}
      {!approval && !error && <Loading what="the approval" lines={8} />}
      {approval && (
        <div className="target">
          <div>
            <Panel title="The change">
              <Facts rows={changeOf(approval)} />
            </Panel>
          </div>
          <div>
            <Panel title="The decision">
              <Facts rows={decisionOf(approval)} />
            </Panel>
          </div>
        </div>
      )}
    </Page>
  );
}

type Rows = React.ComponentProps<typeof Facts>['rows'];

const changeOf = (one: Approval): Rows => [
  ['Tool', <Code key="tool">{one.tool_id}</Code>],
  ['With', <Code key="with">{JSON.stringify(one.arguments, null, 1)}</Code>],
  [
    'Target',
    one.target_id === null ? (
      <None key="target">the zone</None>
    ) : (
      <Link key="target" to={href(['targets', one.target_id])}>
        {one.target_id}
      </Link>
    ),
  ],
  [
    'Asked by',
    isLeaseId(one.grant_id) ? (
      <Link key="by" to={href(['leases', one.grant_id])}>
        {one.requested_by}
      </Link>
    ) : (
      <Text key="by">{one.requested_by}</Text>
    ),
  ],
  ['Asked', <Time key="at" at={one.requested_at} />],
  [
    'Stopped call',
    <Link key="event" to={href(['events'], { event: one.event_id })}>
      {shortId(one.event_id)}
    </Link>,
  ],
  ['Digest', <Code key="digest">{one.arguments_digest}</Code>],
];

const decisionOf = (one: Approval): Rows => [
  ['Good until', <Time key="until" at={one.expires_at} />],
  [
    'Decided',
    one.decided_at === null ? <None key="at">not yet</None> : <Time key="at" at={one.decided_at} />,
  ],
  ['By', one.decided_by === null ? <None key="by" /> : <Text key="by">{one.decided_by}</Text>],
  ['Reason', one.reason ? <Text key="why">{one.reason}</Text> : <None key="why" />],
  [
    'Used',
    one.used_by_event_id === null ? (
      <None key="used">no</None>
    ) : (
      <Link key="used" to={href(['events'], { event: one.used_by_event_id })}>
        {shortId(one.used_by_event_id)}
      </Link>
    ),
  ],
];
