import type { ExecReply, ProgressStep } from '@adaos/contracts';
import type { ProgressGate } from './progress-gate.js';

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
  /** Null when nobody asked for progress. */
  readonly gate: ProgressGate | null;
  /** Answers the caller of a write that goes on: its lease is gone, what comes of it is the record's. */
  readonly takeBack: () => void;
  /** It ends its own bearer, and its caller waits for the successor. */
  self_rotation: boolean;
}

/** Calls this replica runs. Cancels and revocations reach them by event, whichever replica they are on. */
export function createInFlight(stopOnHub: (hub_id: string, event_id: string) => void) {
  const running = new Map<string, RunningCall>();
  // Each replica hears of every call's progress: those that are not its own must cost next to nothing.
  const byEvent = new Map<string, RunningCall>();

  /** A read ends at once; a write keeps its connection, so that its outcome is recorded, and the hub ends it at a safe step. */
  const end = (call: RunningCall, reason: EndReason) => {
    if (reason === 'lease_revoked') call.gate?.quiet();
    if (call.hub_id !== null && call.dispatched) stopOnHub(call.hub_id, call.event_id);
    if (!call.writes || !call.dispatched) call.abort.abort(reason);
    else if (reason === 'lease_revoked' && !call.self_rotation) call.takeBack();
  };

  return {
    add: (call: RunningCall) => void running.set(call.call_id, call),
    /** From here on the call belongs to a lease and has an event. */
    admit(call: RunningCall, lease_id: string, event_id: string) {
      Object.assign(call, { lease_id, event_id });
      byEvent.set(event_id, call);
    },
    remove(call: RunningCall) {
      running.delete(call.call_id);
      byEvent.delete(call.event_id);
    },
    cancel(call_id: string, reason: EndReason) {
      const call = running.get(call_id);
      if (call) end(call, reason);
    },
    revoke(lease_id: string) {
      for (const call of running.values()) if (call.lease_id === lease_id) end(call, 'lease_revoked');
    },
    finish: (event_id: string, reply: ExecReply) => byEvent.get(event_id)?.finish(reply),
    /** A step of a call, told by the executor `hub_id` (null: root). Counts only for a call that was sent to that executor. */
    progress(hub_id: string | null, event_id: string, step: ProgressStep) {
      const call = byEvent.get(event_id);
      if (call?.dispatched && call.hub_id === hub_id) call.gate?.step(step);
    },
    get size() {
      return running.size;
    },
  };
}
export type InFlight = ReturnType<typeof createInFlight>;
