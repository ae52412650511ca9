import type { Approval } from '@adaos/contracts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { every } from './every.js';
import { read } from './exchange.js';

interface ApprovalPage {
  readonly approvals: Approval[];
  readonly next_cursor: string | null;
}

/** Somebody waits: looked at more often than what only time changes. */
const soon = { refetchInterval: every(10_000), staleTime: 5_000 } as const;

/** Approvals, newest first, a page at a time. */
export const useApprovals = (filter: { status?: string }) =>
  useInfiniteQuery({
    queryKey: ['approvals', 'list', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: '100' });
      for (const [name, value] of Object.entries({ ...filter, cursor: pageParam }))
        if (value) query.set(name, value);
      return read<ApprovalPage>(`/approvals?${query}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    ...soon,
  });

export const useApproval = (approval_id: string) =>
  useQuery({
    queryKey: ['approvals', 'one', approval_id],
    queryFn: async ({ signal }) =>
      (await read<{ approval: Approval }>(`/approvals/${encodeURIComponent(approval_id)}`, { signal }))
        .approval,
    ...soon,
  });
