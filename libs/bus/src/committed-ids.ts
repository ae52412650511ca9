import { DEDUPE_WINDOW_MS } from './redelivery.js';

/** A generation ends with this many ids, however young: memory is bounded, and the last 100,000 are always known. */
const MAX_IDS = 100_000;

export interface CommittedIds {
  add(msg_id: string, now_ms: number): void;
  /** Whether the id was committed within the dedupe window. */
  has(msg_id: string, now_ms: number): boolean;
}

/**
 * Remembers ids in two generations and drops the older one whole: taking ids one by one from the front of a large Map leaves holes that
 * each later look from the front must step over.
 */
export function createCommittedIds(): CommittedIds {
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  let began_at = 0;
  return {
    add(msg_id, now_ms) {
      if (young.size >= MAX_IDS || now_ms - began_at >= DEDUPE_WINDOW_MS) {
        old = young;
        young = new Map();
        began_at = now_ms;
      }
      young.set(msg_id, now_ms);
    },
    has(msg_id, now_ms) {
      const at = young.get(msg_id) ?? old.get(msg_id);
      return at !== undefined && now_ms - at < DEDUPE_WINDOW_MS;
    },
  };
}
