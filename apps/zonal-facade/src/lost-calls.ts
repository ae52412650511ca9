import type { Bus } from '@adaos/bus';
import { CallNamed, subjectOf, validator } from '@adaos/contracts';
import type { Clock, Log, Stop } from '@adaos/runtime';

/** Milliseconds after which a call is asked after, and between two askings. Most calls end before the first. */
const SEEK_MS = 1_000;
/** Askings in a row that no router answered: one that is alive answers each within its event loop's turn. */
const MISSES = 4;

export interface LostCalls {
  /** Watches a call that is sent; `onLost` is told once when no router has it any more. The answer ends the watch and must be called. */
  watch(call_id: string, onLost: () => void): () => void;
  readonly stop: Stop;
}

interface Watched {
  misses: number;
  readonly onLost: () => void;
  readonly since: number;
}

/**
 * Notices that the router of a call has died. The broker does not tell: its answer would be waited for until the tool's whole time had
 * passed. So of a call that takes long it is asked, over and over, which router still has it, waiting or running; the one that has it
 * says so. While this side is cut off nothing is concluded from silence.
 */
export function lostCalls({ bus, clock, log }: { bus: Bus; clock: Clock; log: Log }): LostCalls {
  const watched = new Map<string, Watched>();
  const check = validator<CallNamed>(CallNamed);

  function seek(call_id: string, call: Watched): void {
    if (clock.now() - call.since < SEEK_MS || !bus.connected) return;
    if (call.misses >= MISSES) {
      log.warn({ call_id }, 'no router has this call any more');
      watched.delete(call_id);
      return call.onLost();
    }
    call.misses++;
    try {
      bus.publish(subjectOf('call_sought'), { call_id });
    } catch {
      // Not asked, so silence means nothing.
      call.misses--;
    }
  }

  const stopSeeking = clock.every(SEEK_MS, () => {
    for (const [call_id, call] of watched) seek(call_id, call);
  });
  const heard = bus.subscribe(subjectOf('call_held'), (body) => {
    try {
      const call = watched.get(check(body).call_id);
      if (call) call.misses = 0;
    } catch {
      log.warn({ event: 'call_held' }, 'an event breaks its contract');
    }
  });

  return {
    watch(call_id, onLost) {
      watched.set(call_id, { misses: 0, onLost, since: clock.now() });
      return () => void watched.delete(call_id);
    },
    async stop() {
      stopSeeking();
      await heard.stop();
    },
  };
}
