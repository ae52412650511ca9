import type { SessionLease } from '@adaos/contracts';
import { Copyable } from '../parts/copy.js';
import { Link } from '../parts/link.js';
import { Facts, Panel } from '../parts/page.js';
import { Text, Time } from '../parts/words.js';
import { href } from '../route.js';
import { ClientConfig } from './client-config.js';

/** The one moment in which a bearer is on a screen. */
export function IssuedLease({ session, bearer }: { session: SessionLease; bearer: string }) {
  return (
    <div className="target">
      <div>
        <Panel title="Bearer">
          <p>
            <strong>Copy it now.</strong> It is shown once: when this page is left, nobody can read it again,
            only issue another.
          </p>
          <Copyable secret name="bearer" text={bearer} />
        </Panel>
        <Panel title="What it is for">
          <Facts
            rows={[
              ['Profile', <Text key="profile">{session.capability_profile}</Text>],
              ['Target', <Text key="target">{session.target_id}</Text>],
              ['Ends', <Time key="ends" at={session.deadline_at} />],
              ['Note', <Text key="note">{session.note || '–'}</Text>],
            ]}
          />
          <p className="done">
            <Link className="button" to={href(['leases', session.session_id])}>
              I have it, open the lease
            </Link>
          </p>
        </Panel>
      </div>
      <div>
        <Panel title="Connect a client">
          <ClientConfig session_id={session.session_id} />
        </Panel>
      </div>
    </div>
  );
}
