import { addressKey } from '@adaos/limits/address-key';
import type { Bounds } from './bounds.js';

export interface InFlightBound {
  /** Counts one more; what comes back counts it off again. `over`: that is too many, of this address or of all. */
  enter(address: string): { readonly over: 'address' | 'total' | null; leave(): void };
}

/** Requests under way, in all and per address: a flood from one place leaves half of the room to everybody else. */
export function inFlightBound(bounds: Pick<Bounds, 'in_flight' | 'in_flight_per_address'>): InFlightBound {
  const by_address = new Map<string, number>();
  let total = 0;
  return {
    enter(address) {
      const key = addressKey(address);
      const own = (by_address.get(key) ?? 0) + 1;
      by_address.set(key, own);
      total++;
      return {
        over: own > bounds.in_flight_per_address ? 'address' : total > bounds.in_flight ? 'total' : null,
        leave() {
          total--;
          const left = (by_address.get(key) ?? 1) - 1;
          if (left > 0) by_address.set(key, left);
          else by_address.delete(key);
        },
      };
    },
  };
}
