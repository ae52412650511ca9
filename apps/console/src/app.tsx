import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Crash } from './parts/crash.js';
import { ApprovalPage } from './pages/approval.js';
import { ApprovalsPage } from './pages/approvals.js';
import { EventsPage } from './pages/events.js';
import { LeasePage } from './pages/lease.js';
import { LeasesPage } from './pages/leases.js';
import { NewLeasePage } from './pages/new-lease.js';
import { NowherePage } from './pages/nowhere.js';
import { OverviewPage } from './pages/overview.js';
import { SignInPage } from './pages/sign-in.js';
import { TargetPage } from './pages/target.js';
import { TargetsPage } from './pages/targets.js';
import { placeOf, useLocation, type Place } from './route.js';
import { useSession } from './session.js';
import { Shell } from './shell.js';
import { passesByItself } from './zone-api/failure.js';

/** Signed in or not; what a session has read goes with it. */
export function App() {
  const { credential } = useSession();
  const key = credential?.kind === 'token' ? credential.token : 'cookie';
  return <Crash>{credential === null ? <SignInPage /> : <Zone key={key} />}</Crash>;
}

function Zone() {
  const [client] = useState(makeClient);
  const url = useLocation();
  const place = useMemo(() => {
    const { pathname, search } = new URL(url, location.origin);
    return placeOf(pathname, search);
  }, [url]);
  return (
    <QueryClientProvider client={client}>
      <Shell place={place}>
        {/* A page that crashed is gone with its place. */}
        <Crash key={place.page + place.id}>
          <PageOf place={place} />
        </Crash>
      </Shell>
    </QueryClientProvider>
  );
}

function PageOf({ place }: { place: Place }) {
  switch (place.page) {
    case 'overview':
      return <OverviewPage />;
    case 'events':
      return <EventsPage query={place.query} />;
    case 'targets':
      return <TargetsPage query={place.query} />;
    case 'target':
      return <TargetPage target_id={place.id} />;
    case 'leases':
      return <LeasesPage query={place.query} />;
    case 'new_lease':
      return <NewLeasePage query={place.query} />;
    case 'lease':
      return <LeasePage session_id={place.id} />;
    case 'approvals':
      return <ApprovalsPage query={place.query} />;
    case 'approval':
      return <ApprovalPage approval_id={place.id} />;
    case 'nowhere':
      return <NowherePage />;
  }
}

const makeClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The zone may be on this machine: the browser's word on being offline says nothing about it.
        networkMode: 'always',
        retry: (failures, error) => failures < 2 && passesByItself(error),
      },
      mutations: { networkMode: 'always', retry: false, gcTime: 0 },
    },
  });
