import { cedar } from './cedar.js';

const free: string[] = [];
let made = 0;

/**
 * A name under which the engine keeps a prepared set. It never forgets a name, so names are used again: a proposal that is tried out a
 * thousand times must not take a thousand sets of memory.
 */
export function takeSlot(): { readonly name: string; release(): void } {
  const name = free.pop() ?? `slot-${++made}`;
  let held = true;
  return {
    name,
    release() {
      if (!held) return;
      held = false;
      cedar.preparsePolicySet(name, { staticPolicies: {} });
      free.push(name);
    },
  };
}
