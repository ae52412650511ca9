import type { SessionLease } from '@adaos/contracts';
import { RevokeButton } from '../leases/revoke-button.js';
import { Badge } from '../parts/badge.js';
import { Choices } from '../parts/choices.js';
import { Icon } from '../parts/icon.js';
import { Link } from '../parts/link.js';
import { More } from '../parts/more.js';
import { Page } from '../parts/page.js';
import { Empty, FailureNote, Loading } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { None, Text, Time } from '../parts/words.js';
import { href } from '../route.js';
import { shortId } from '../text/ids.js';
import { LEASE_LOOKS, lookOf } from '../text/looks.js';
import { useLeases } from '../zone-api/zone.js';

const COLUMNS: readonly Column<SessionLease>[] = [
  {
    name: 'Lease',
    className: 'cell-name',
    cell: ({ session_id, note }) => (
      <>
        <Link className="row-link" to={href(['leases', session_id])}>
          <Text>{shortId(session_id)}</Text>
        </Link>
        {note !== '' && (
          <span className="cell-note cell-clip">
            <Text>{note}</Text>
          </span>
        )}
      </>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Badge look={lookOf(LEASE_LOOKS, status)} /> },
  { name: 'Profile', cell: ({ capability_profile }) => <Text>{capability_profile}</Text> },
  { name: 'Target', className: 'cell-target', cell: ({ target_id }) => <Text>{target_id}</Text> },
  { name: 'Ends', className: 'cell-ends', cell: (lease) => <Ends lease={lease} /> },
  {
    name: 'Last used',
    cell: ({ last_used_at: at }) => (at === null ? <None>never</None> : <Time at={at} />),
  },
  { name: 'Uses', className: 'cell-number', cell: ({ use_count }) => use_count },
  {
    name: 'Act',
    className: 'cell-act',
    unseen: true,
    cell: (lease) => (lease.status === 'active' ? <RevokeButton lease={lease} /> : null),
  },
];

/** A deadline that came to nothing would read as if the lease still ran. */
const Ends = ({ lease: { status, deadline_at, revoked_at } }: { lease: SessionLease }) =>
  status === 'active' ? (
    // Rotated: it ends with its overlap.
    <Time at={revoked_at ?? deadline_at} />
  ) : (
    <span className="none">
      ended <Time at={revoked_at ?? deadline_at} />
    </span>
  );

const STATUSES = Object.entries(LEASE_LOOKS).map(([value, { label }]) => ({ value, label }));

/** Who has access: leases with their deadline and use, newest first. */
export function LeasesPage({ query }: { query: URLSearchParams }) {
  const status = query.get('status') ?? '';
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useLeases({ status });
  const leases = data?.pages.flatMap(({ sessions }) => sessions);
  return (
    <Page
      title="Leases"
      aside={
        <span className="page-acts">
          <Link className="button button-main" to={href(['leases', 'new'])}>
            <Icon name="plus" />
            Issue a lease
          </Link>
        </span>
      }
    >
      <Choices
        name="Status"
        current={status}
        options={[{ value: '', label: 'all' }, ...STATUSES]}
        linkTo={(value) => href(['leases'], { status: value })}
      />
      {error && !data && (
        <FailureNote title="The leases could not be read." error={error} retry={() => void refetch()} />
      )}
      {!data && !error && <Loading what="leases" lines={6} />}
      {leases?.length === 0 && (
        <Empty title={status === '' ? 'No lease was issued yet.' : `No lease is ${status}.`}>
          A client gets in with a lease: a URL and a bearer for one target, for a while.
        </Empty>
      )}
      {leases && leases.length > 0 && (
        <Table
          caption="Leases, newest first"
          columns={COLUMNS}
          rows={leases}
          keyOf={({ session_id }) => session_id}
        />
      )}
      {hasNextPage && <More of="leases" loading={isFetchingNextPage} load={fetchNextPage} />}
    </Page>
  );
}
