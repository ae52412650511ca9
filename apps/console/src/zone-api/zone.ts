import type { ManagedTarget, SessionLease, StoredEvent } from '@adaos/contracts';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { EventList } from './event-list.js';
import { every } from './every.js';
import { callTool, read } from './exchange.js';

/** What `GET /foundation` tells, as far as it is shown. */
export interface Foundation {
  readonly zone: string;
  readonly build: { readonly version: string; readonly commit: string };
  readonly counts: { readonly tools: number; readonly planes: number; readonly profiles: number };
}

/** One entry of `GET /profiles`. */
export interface Profile {
  readonly profile_id: string;
  readonly title: string;
  readonly summary: string;
  readonly tools: readonly string[];
}

/** What `hub.get_operational_surface` answers. */
export interface Surface {
  readonly target: ManagedTarget;
  readonly published: readonly string[];
  readonly withheld: readonly { readonly tool_id: string; readonly reason: string }[];
}

/** A service as `hub.get_status` reports it. */
export interface Service {
  readonly name: string;
  readonly state: string;
  readonly pid: number | null;
  readonly restarts: number;
  readonly started_at: string | null;
}

/**
 * Targets and leases are read through governed calls, and each leaves an event: they are read when shown, when the record tells of a
 * change, and now and then, since time alone makes a target offline and a lease expire.
 */
const NOW_AND_THEN_MS = 30_000;
const seldom = { refetchInterval: every(NOW_AND_THEN_MS), staleTime: 5_000 } as const;
/** What a build fixes does not change while the page is open. */
const fixed = { staleTime: Infinity } as const;

export const useFoundation = () =>
  useQuery({
    queryKey: ['foundation'],
    queryFn: async ({ signal }) =>
      (await read<{ foundation: Foundation }>('/foundation', { signal })).foundation,
    ...fixed,
  });

export const useProfiles = () =>
  useQuery({
    queryKey: ['profiles'],
    queryFn: async ({ signal }) => (await read<{ profiles: Profile[] }>('/profiles', { signal })).profiles,
    ...fixed,
  });

/** Ids of the tools of this build. */
export const useToolIds = () =>
  useQuery({
    queryKey: ['tools'],
    queryFn: async ({ signal }) =>
      (await read<{ contracts: { tool_id: string }[] }>('/contracts', { signal })).contracts.map(
        (c) => c.tool_id,
      ),
    ...fixed,
  });

/** Every target of the zone, up to five pages of 200. */
export const useTargets = () =>
  useQuery({
    queryKey: ['targets', 'list'],
    queryFn: async ({ signal }) => {
      const targets: ManagedTarget[] = [];
      let cursor = '';
      for (let page = 0; page < 5; page += 1) {
        const more = cursor && `&cursor=${encodeURIComponent(cursor)}`;
        const answer = await read<{ targets: ManagedTarget[]; next_cursor: string | null }>(
          `/targets?limit=200${more}`,
          {
            signal,
          },
        );
        targets.push(...answer.targets);
        if (answer.next_cursor === null) break;
        cursor = answer.next_cursor;
      }
      return targets;
    },
    ...seldom,
  });

export const useSurface = (target_id: string) =>
  useQuery({
    queryKey: ['targets', 'surface', target_id],
    queryFn: ({ signal }) => callTool<Surface>('hub.get_operational_surface', { target_id }, signal),
    ...seldom,
  });

/** Services as the hub tells them now; asks the hub, so only when it can answer. */
export const useServices = (target_id: string, reachable: boolean) =>
  useQuery({
    queryKey: ['targets', 'services', target_id],
    queryFn: async ({ signal }) =>
      (await callTool<{ services: Service[] }>('hub.get_status', { target_id }, signal)).services,
    enabled: reachable,
    staleTime: NOW_AND_THEN_MS,
  });

interface LeasePage {
  readonly sessions: SessionLease[];
  readonly next_cursor: string | null;
}

/** Leases, newest first, a page at a time. */
export const useLeases = (filter: { status?: string; target_id?: string }) =>
  useInfiniteQuery({
    queryKey: ['leases', 'list', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: '100' });
      for (const [name, value] of Object.entries({ ...filter, cursor: pageParam }))
        if (value) query.set(name, value);
      return read<LeasePage>(`/sessions?${query}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    ...seldom,
  });

export const useLease = (session_id: string) =>
  useQuery({
    queryKey: ['leases', 'one', session_id],
    queryFn: async ({ signal }) =>
      (await read<{ session: SessionLease }>(`/sessions/${encodeURIComponent(session_id)}`, { signal }))
        .session,
    ...seldom,
  });

type Noun = 'targets' | 'leases' | 'approvals';

/** Which lists a succeeded call has changed. */
const CHANGES: Readonly<Record<string, Noun>> = {
  'operations.register_target': 'targets',
  'operations.set_skill_state': 'targets',
  'hub.issue_mcp_session': 'leases',
  'hub.revoke_mcp_session': 'leases',
  'operations.approve': 'approvals',
  'operations.reject': 'approvals',
};

/** Reads targets and leases anew when the record tells of a change to them, whoever made it. */
export function useChangesFrom(list: EventList | undefined): void {
  const client = useQueryClient();
  const newest = useRef<string | null>(null);
  useEffect(() => {
    if (!list) return;
    const seen = list.events.findIndex(({ event_id }) => event_id === newest.current);
    const news = newest.current === null ? [] : list.events.slice(0, seen === -1 ? undefined : seen);
    newest.current = list.events[0]?.event_id ?? newest.current;
    for (const noun of new Set(news.flatMap(changedBy))) void client.invalidateQueries({ queryKey: [noun] });
  }, [client, list]);
}

const changedBy = (event: StoredEvent): Noun[] => {
  if (event.approval_id) return ['approvals'];
  const noun = event.status === 'succeeded' && event.tool_id ? CHANGES[event.tool_id] : undefined;
  return noun ? [noun] : [];
};
