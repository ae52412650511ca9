import type { RpcId } from './json-rpc.js';

/** Why a call's signal aborted: the client went away, or said that it no longer wants the answer. */
export type AbortCause = 'disconnected' | 'cancelled';

/** Calls under way by who made them, so that a cancel reaches the call it names and no other. */
export interface InFlight {
  /** Returns the removal. */
  add(bearer_digest: string, id: RpcId, abort: AbortController): () => void;
  /** Calls of this bearer with that id. */
  count(bearer_digest: string, id: RpcId): number;
  /** Cancels the one call of this bearer with that id. Nothing, or more than one (two clients sharing a lease): changes nothing. */
  cancel(bearer_digest: string, id: RpcId): boolean;
}

/** Connection state, not service state: an entry lives as long as its HTTP exchange. */
export function inFlight(): InFlight {
  const calls = new Map<string, Set<AbortController>>();
  // The digest is part of the key: with the id alone any client could stop another's call (field case F04).
  const keyOf = (digest: string, id: RpcId) => `${digest} ${typeof id} ${id}`;
  return {
    add(bearer_digest, id, abort) {
      const key = keyOf(bearer_digest, id);
      const same = calls.get(key) ?? new Set();
      calls.set(key, same.add(abort));
      return () => {
        same.delete(abort);
        if (same.size === 0 && calls.get(key) === same) calls.delete(key);
      };
    },
    count: (bearer_digest, id) => calls.get(keyOf(bearer_digest, id))?.size ?? 0,
    cancel(bearer_digest, id) {
      const same = calls.get(keyOf(bearer_digest, id));
      if (same?.size !== 1) return false;
      for (const abort of same) abort.abort('cancelled' satisfies AbortCause);
      return true;
    },
  };
}
