/** Slots held in this process, by key. */
export interface SlotLedger {
  inUse(key: string): number;
  /** Notes one more holder; what comes back forgets it again, once, however often it is called. */
  hold(key: string): () => void;
}

/** Counts this process's own holders. A key without holders takes no memory. */
export function slotLedger(): SlotLedger {
  const held = new Map<string, number>();
  return {
    inUse: (key) => held.get(key) ?? 0,
    hold(key) {
      held.set(key, (held.get(key) ?? 0) + 1);
      let counted = true;
      return () => {
        if (!counted) return;
        counted = false;
        const left = (held.get(key) ?? 1) - 1;
        if (left > 0) held.set(key, left);
        else held.delete(key);
      };
    },
  };
}

/** A replica's share of a limit: at least 1, because a share of none would block for ever; 0 stays 0, which allows nothing. */
export const shareOf = (limit: number, share: number): number =>
  limit <= 0 ? 0 : Math.max(1, Math.floor(limit * share));
