import type { ReactNode } from 'react';
import { Icon } from './parts/icon.js';
import { Link } from './parts/link.js';
import { Live } from './parts/live.js';
import { Text } from './parts/words.js';
import { href, type Page, type Place } from './route.js';
import { useEvents } from './zone-api/events.js';
import { leave } from './zone-api/sign-in.js';
import { useChangesFrom, useFoundation } from './zone-api/zone.js';

const NAVIGATION: readonly { name: string; to: string; pages: readonly Page[] }[] = [
  { name: 'Overview', to: href([]), pages: ['overview'] },
  { name: 'Events', to: href(['events']), pages: ['events'] },
  { name: 'Targets', to: href(['targets']), pages: ['targets', 'target'] },
  { name: 'Leases', to: href(['leases']), pages: ['leases', 'new_lease', 'lease'] },
  { name: 'Approvals', to: href(['approvals']), pages: ['approvals', 'approval'] },
];

/** What stands around every page. Follows the record, so that lists on any page hear of changes. */
export function Shell({ place, children }: { place: Place; children: ReactNode }) {
  const newest = useEvents({}, { polls: true });
  useChangesFrom(newest.data);
  const zone = useFoundation().data?.zone;
  return (
    <>
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <header className="shell-head">
        <div className="shell-bar">
          <Link className="brand" to={href([])}>
            <img src="/console/mark.svg" alt="" width="24" height="24" />
            <span>
              AdaOS <span className="brand-zone">{zone && <Text>{zone}</Text>}</span>
            </span>
          </Link>
          <nav className="shell-nav" aria-label="Pages">
            {NAVIGATION.map(({ name, to, pages }) => (
              <Link key={name} to={to} aria-current={pages.includes(place.page) ? 'page' : undefined}>
                {name}
              </Link>
            ))}
          </nav>
          <div className="shell-end">
            <Live failing={newest.isError} />
            <button type="button" className="button button-plain" onClick={() => void leave()}>
              <Icon name="out" />
              Sign out
            </button>
          </div>
        </div>
      </header>
      <main id="page" className="shell-page" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}
