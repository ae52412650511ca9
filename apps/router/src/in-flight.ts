import type { ExecReply } from '@adaos/contracts';

/** Why a call is ended early; the record says it. */
export type EndReason = 'cancelled' | 'client_disconnected' | 'lease_revoked';

/** A call that runs now: who may end it, and where it runs. */
export interface RunningCall {
  readonly call_id: string;
  /** Empty until it is known. */
  lease_id: string;
  event_id: string;
  hub_id: string | null;
  writes: boolean;
  /** From here on a write has to be seen to its end. */
  dispatched: boolean;
  readonly abort: AbortController;
  /** Ends the wait with an outcome that came another way: the hub restarted and told it from its journal. */
  readonly finish: (reply: ExecReply) => void;
}

/** Calls this replica runs. Cancels and revocations reach them by event, whichever replica they are on. */
export function createInFlight(stopOnHub: (hub_id: string, event_id: string) => void) {
  const running = new Map<string, RunningCall>();

  /** A read ends at once; a write keeps its connection, so that its outcome is recorded, and the hub ends it at a safe step. */
  const end = (call: RunningCall, reason: EndReason) => {
    if (call.hub_id !== null && call.dispatched) stopOnHub(call.hub_id, call.event_id);
    if (!call.writes || !call.dispatched) call.abort.abort(reason);
  };

  return {
    add: (call: RunningCall) => void running.set(call.call_id, call),
    remove: (call_id: string) => void running.delete(call_id),
    cancel(call_id: string, reason: EndReason) {
      const call = running.get(call_id);
      if (call) end(call, reason);
    },
    revoke(lease_id: string) {
      for (const call of running.values()) if (call.lease_id === lease_id) end(call, 'lease_revoked');
    },
    finish(event_id: string, reply: ExecReply) {
      for (const call of running.values()) if (call.event_id === event_id) call.finish(reply);
    },
    get size() {
      return running.size;
    },
  };
}
export type InFlight = ReturnType<typeof createInFlight>;
