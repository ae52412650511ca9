import { OpError } from '@adaos/contracts';
import { LRUCache } from 'lru-cache';

/** Revoked leases that are remembered; a permit signed before the revocation outlives it by seconds, not by this many leases. */
const MAX_REVOKED = 10_000;

interface RunningCall {
  readonly lease_id: string;
  readonly abort: AbortController;
}

/** Calls that run now, so that cancel and revoke reach them by name. */
export function createRunningCalls() {
  const calls = new Map<string, Set<RunningCall>>();
  const revoked = new LRUCache<string, true>({ max: MAX_REVOKED });

  return {
    /**
     * Registers a call; its signal follows `outer` (the requester's deadline). `end` must be called. A read permit lives for seconds after
     * its lease was revoked; the revocation was told, so such a call does not begin.
     * @throws OpError lease_revoked
     */
    begin(event_id: string, lease_id: string, outer: AbortSignal): { signal: AbortSignal; end: () => void } {
      if (revoked.has(lease_id)) throw new OpError('lease_revoked');
      const call: RunningCall = { lease_id, abort: new AbortController() };
      const follow = () => call.abort.abort(outer.reason);
      if (outer.aborted) follow();
      else outer.addEventListener('abort', follow, { once: true });
      const same = calls.get(event_id) ?? new Set();
      calls.set(event_id, same.add(call));
      return {
        signal: call.abort.signal,
        end() {
          outer.removeEventListener('abort', follow);
          same.delete(call);
          if (same.size === 0) calls.delete(event_id);
        },
      };
    },
    /** Aborts what runs for an event. A read ends at once; a write goes on from its current step as its adapter says. */
    cancel(event_id: string): number {
      const same = [...(calls.get(event_id) ?? [])];
      for (const call of same) call.abort.abort(new OpError('cancelled'));
      return same.length;
    },
    /** Aborts what runs for a lease and refuses what still comes with a permit signed before the revocation (D5). */
    revoke(lease_id: string): number {
      revoked.set(lease_id, true);
      const of_lease = [...calls.values()]
        .flatMap((same) => [...same])
        .filter((c) => c.lease_id === lease_id);
      for (const call of of_lease) call.abort.abort(new OpError('lease_revoked'));
      return of_lease.length;
    },
  };
}
export type RunningCalls = ReturnType<typeof createRunningCalls>;
