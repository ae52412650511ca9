import type { SessionLease } from '@adaos/contracts';
import { ClientConfig } from '../leases/client-config.js';
import { RevokeButton } from '../leases/revoke-button.js';
import { Badge } from '../parts/badge.js';
import { Link } from '../parts/link.js';
import { Facts, Page, Panel } from '../parts/page.js';
import { FailureNote, Loading } from '../parts/states.js';
import { ToolList } from '../parts/tool-list.js';
import { Code, None, Text, Time } from '../parts/words.js';
import { href } from '../route.js';
import { shortId } from '../text/ids.js';
import { LEASE_LOOKS, lookOf } from '../text/looks.js';
import { sayDuration } from '../text/time.js';
import { useLease } from '../zone-api/zone.js';

/** One lease: what it may do, how it was used, how its client connects. The bearer is known to nobody but the client. */
export function LeasePage({ session_id }: { session_id: string }) {
  const { data: lease, error, refetch } = useLease(session_id);
  return (
    <Page
      title={`Lease ${shortId(session_id)}`}
      aside={
        lease && (
          <>
            <Badge look={lookOf(LEASE_LOOKS, lease.status)} />
            <span className="page-acts">
              <Link className="button" to={href(['events'], { lease: session_id })}>
                Its events
              </Link>
              {lease.status === 'active' && <RevokeButton lease={lease} />}
            </span>
          </>
        )
      }
    >
      {error && !lease && (
        <FailureNote title="The lease could not be read." error={error} retry={() => void refetch()} />
      )}
      {!lease && !error && <Loading what="the lease" lines={8} />}
      {lease && (
        <div className="target">
          <div>
            <About lease={lease} />
          </div>
          <div>
            {lease.status === 'active' && (
              <Panel title="Connect a client">
                <ClientConfig session_id={session_id} />
              </Panel>
            )}
            <Panel title={`Tools it lists (${lease.allowed_tools.length})`}>
              <ToolList tools={lease.allowed_tools} />
            </Panel>
          </div>
        </div>
      )}
    </Page>
  );
}

function About({ lease }: { lease: SessionLease }) {
  const revoked: (readonly [string, React.ReactNode])[] =
    lease.revoked_at === null
      ? []
      : [
          // A rotated lease is active until its overlap ends.
          [lease.status === 'active' ? 'Rotated, ends' : 'Revoked', <Time key="at" at={lease.revoked_at} />],
          [lease.status === 'active' ? 'Rotated by' : 'Revoked by', textOr(lease.revoked_by)],
          ['Reason', textOr(lease.revoke_reason)],
        ];
  return (
    <Panel title="About">
      <Facts
        rows={[
          ['Lease', <Code key="id">{lease.session_id}</Code>],
          ['Note', textOr(lease.note)],
          ...revoked,
          [
            'Profile',
            <Text key="profile">{`${lease.capability_profile}, version ${lease.profile_version}`}</Text>,
          ],
          [
            'Target',
            <Link key="target" to={href(['targets', lease.target_id])}>
              {lease.target_id}
            </Link>,
          ],
          ['Subnet', textOr(lease.subnet_id)],
          ['For', textOr(lease.audience)],
          ['Issued by', textOr(lease.issued_by)],
          ['Issued', <Time key="issued" at={lease.created_at} />],
          [
            'Deadline',
            <span key="deadline">
              <Time at={lease.deadline_at} /> ({sayDuration(lease.ttl_seconds)} in all)
            </span>,
          ],
          [
            'Last used',
            lease.last_used_at === null ? (
              <None>never</None>
            ) : (
              <span>
                <Time at={lease.last_used_at} /> {lease.last_tool_id && <Code>{lease.last_tool_id}</Code>}
              </span>
            ),
          ],
          ['Uses', lease.use_count],
        ]}
      />
    </Panel>
  );
}

const textOr = (text: string | null) => (text ? <Text>{text}</Text> : <None />);
