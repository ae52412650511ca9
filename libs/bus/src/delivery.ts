/** Deliveries run back to back before timers and sockets get their turn; at about 20 µs each this is 1-2 ms. */
const PER_TURN = 64;

/**
 * Runs work after the caller's stack has unwound, in the order given. Microtasks are the cheapest way, but a chain of requests made of
 * them alone would never let a timeout fire or a socket be read: beyond the budget, work waits for the event loop's next turn.
 */
export function createDelivery(): (work: () => void) => void {
  let delivered = 0;
  let turn_ends = false;
  let postponed: (() => void)[] = [];

  function nextTurn(): void {
    turn_ends = false;
    delivered = 0;
    const due = postponed;
    postponed = [];
    for (const work of due) deliver(work);
  }

  function deliver(work: () => void): void {
    if (!turn_ends) {
      turn_ends = true;
      setImmediate(nextTurn);
    }
    delivered += 1;
    if (delivered <= PER_TURN) queueMicrotask(work);
    else postponed.push(work);
  }

  return deliver;
}
