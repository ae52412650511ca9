import type { SessionLease } from '@adaos/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IssueForm, type IssueArguments } from '../leases/issue-form.js';
import { IssuedLease } from '../leases/issued-lease.js';
import { Page } from '../parts/page.js';
import { Empty, FailureNote, Loading } from '../parts/states.js';
import { act } from '../zone-api/exchange.js';
import { useProfiles, useTargets } from '../zone-api/zone.js';

/** Issues a lease and shows its bearer, once. It is held by this page alone and gone when the page is left. */
export function NewLeasePage({ query }: { query: URLSearchParams }) {
  const targets = useTargets();
  const profiles = useProfiles();
  const client = useQueryClient();
  const issue = useMutation({
    mutationFn: (args: IssueArguments) => act<{ session: SessionLease; bearer: string }>('/sessions', args),
    onSuccess: () => client.invalidateQueries({ queryKey: ['leases'] }),
  });
  if (issue.data) {
    return (
      <Page key="issued" title="Lease issued">
        <IssuedLease {...issue.data} />
      </Page>
    );
  }
  const unread = targets.error ?? profiles.error;
  return (
    <Page key="form" title="Issue a lease">
      {unread && <FailureNote title="Targets and profiles could not be read." error={unread} />}
      {!unread && !(targets.data && profiles.data) && <Loading what="targets and profiles" lines={6} />}
      {targets.data?.length === 0 && (
        <Empty title="No target is registered.">A lease is for one target: register a hub first.</Empty>
      )}
      {targets.data && targets.data.length > 0 && profiles.data && (
        <IssueForm
          targets={targets.data}
          profiles={profiles.data}
          target_id={query.get('target')}
          busy={issue.isPending}
          error={issue.error}
          onIssue={(args) => issue.mutate(args)}
        />
      )}
    </Page>
  );
}
