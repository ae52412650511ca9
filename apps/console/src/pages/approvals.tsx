import type { Approval } from '@adaos/contracts';
import { DecideButton } from '../approvals/decide-button.js';
import { Badge } from '../parts/badge.js';
import { Choices } from '../parts/choices.js';
import { Link } from '../parts/link.js';
import { More } from '../parts/more.js';
import { Page } from '../parts/page.js';
import { Empty, FailureNote, Loading } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { Code, Text, Time } from '../parts/words.js';
import { href } from '../route.js';
import { shortId } from '../text/ids.js';
import { APPROVAL_LOOKS, lookOf } from '../text/looks.js';
import { useApprovals } from '../zone-api/approvals.js';

const COLUMNS: readonly Column<Approval>[] = [
  {
    name: 'Approval',
    className: 'cell-name',
    cell: ({ approval_id, tool_id }) => (
      <>
        <Link className="row-link" to={href(['approvals', approval_id])}>
          <Text>{shortId(approval_id)}</Text>
        </Link>
        <span className="cell-note cell-clip">
          <Text>{tool_id}</Text>
        </span>
      </>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Badge look={lookOf(APPROVAL_LOOKS, status)} /> },
  {
    name: 'With',
    cell: (one) => (
      <span className="cell-clip">
        <Code>{JSON.stringify(one.arguments)}</Code>
      </span>
    ),
  },
  {
    name: 'Target',
    className: 'cell-target',
    cell: ({ target_id }) => <Text>{target_id ?? 'the zone'}</Text>,
  },
  { name: 'Asked', cell: ({ requested_at }) => <Time at={requested_at} /> },
  {
    name: 'Act',
    className: 'cell-act',
    unseen: true,
    cell: (approval) =>
      approval.status === 'pending' ? (
        <span className="page-acts">
          <DecideButton approval={approval} say="approve" />
          <DecideButton approval={approval} say="reject" />
        </span>
      ) : null,
  },
];

const STATUSES = Object.entries(APPROVAL_LOOKS).map(([value, { label }]) => ({ value, label }));

/** Changes that wait for somebody's yes, and what was said to those before. */
export function ApprovalsPage({ query }: { query: URLSearchParams }) {
  const status = query.get('status') ?? '';
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useApprovals({ status });
  const approvals = data?.pages.flatMap((page) => page.approvals);
  return (
    <Page title="Approvals">
      <Choices
        name="Status"
        current={status}
        options={[{ value: '', label: 'all' }, ...STATUSES]}
        linkTo={(value) => href(['approvals'], { status: value })}
      />
      {error && !data && (
        <FailureNote title="The approvals could not be read." error={error} retry={() => void refetch()} />
      )}
      {!data && !error && <Loading what="approvals" lines={6} />}
      {approvals?.length === 0 && (
        <Empty title={status === '' ? 'Nothing has asked for approval yet.' : `Nothing is ${status}.`}>
          A target whose policy says so stops each change until an approver agrees.
        </Empty>
      )}
      {approvals && approvals.length > 0 && (
        <Table
          caption="Approvals, newest first"
          columns={COLUMNS}
          rows={approvals}
          keyOf={({ approval_id }) => approval_id}
        />
      )}
      {hasNextPage && <More of="approvals" loading={isFetchingNextPage} load={fetchNextPage} />}
    </Page>
  );
}
