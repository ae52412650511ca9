import { Type, type Static } from 'typebox';
import type { Bus, Subscription } from '@adaos/bus';
import { subjectOf, validator } from '@adaos/contracts';
import { stopAll, type Clock, type Ids, type Log, type Stop } from '@adaos/runtime';
import type { InFlight } from './in-flight.js';
import { isRpcId } from './json-rpc.js';

/** Milliseconds a holder waits for others who hold a call of the same name. */
const VOTE_MS = 150;
/** Cancels that wait for their vote at once, per replica. */
const MAX_PENDING = 1_000;

const id = { ask_id: Type.String({ maxLength: 64 }) };
const Asked = Type.Object({
  ...id,
  bearer_digest: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  request_id: Type.Union([Type.String({ maxLength: 1_024 }), Type.Integer()]),
});
const Held = Type.Object({ ...id, calls: Type.Integer({ minimum: 1 }) });
const checkAsked = validator<Static<typeof Asked>>(Asked);
const checkHeld = validator<Static<typeof Held>>(Held);

export interface CancelVotes {
  /** A client of this replica wants its call with that JSON-RPC id to end, wherever it runs. */
  ask(bearer_digest: string | null, request_id: unknown): void;
  readonly stop: Stop;
}

/**
 * `notifications/cancelled` of the legacy era comes in on any replica and names a call by an id that is unique to one client only, and
 * two clients may share a lease. So every replica that holds such a call says how many it has, and one that holds the only one ends it;
 * with two of them nobody can tell whose it was, and neither is touched (field case F04, wrong owner). Calls of another bearer are not
 * even looked at.
 */
export function cancelVotes(deps: {
  bus: Bus;
  clock: Clock;
  ids: Pick<Ids, 'next'>;
  log: Log;
  in_flight: InFlight;
}): CancelVotes {
  const { bus, clock, in_flight, log } = deps;
  const pending = new Map<string, { calls: number; readonly stop: () => void }>();

  const tell = (subject: 'call_cancel_asked' | 'call_cancel_held', body: object) => {
    try {
      bus.publish(subjectOf(subject), body);
    } catch (error) {
      // A bus that is away loses the event as a network would.
      log.debug({ err: error }, 'a cancel was not passed on');
    }
  };

  function asked({ ask_id, bearer_digest, request_id }: Static<typeof Asked>): void {
    const calls = in_flight.count(bearer_digest, request_id);
    if (calls === 0) return;
    if (pending.size < MAX_PENDING) {
      const stop = clock.every(VOTE_MS, () => {
        const vote = pending.get(ask_id);
        forget(ask_id);
        if (vote?.calls === 1) in_flight.cancel(bearer_digest, request_id);
      });
      pending.set(ask_id, { calls: 0, stop });
    }
    tell('call_cancel_held', { ask_id, calls });
  }
  function forget(ask_id: string): void {
    pending.get(ask_id)?.stop();
    pending.delete(ask_id);
  }

  const hear = <T>(
    subject: 'call_cancel_asked' | 'call_cancel_held',
    check: (body: unknown) => T,
    act: (event: T) => void,
  ): Subscription =>
    bus.subscribe(subjectOf(subject), (body) => {
      let event: T;
      try {
        event = check(body);
      } catch {
        log.warn({ event: subject }, 'an event breaks its contract');
        return;
      }
      act(event);
    });
  const stop = stopAll([
    () => [...pending.keys()].forEach(forget),
    hear('call_cancel_asked', checkAsked, asked),
    hear('call_cancel_held', checkHeld, ({ ask_id, calls }) => {
      const vote = pending.get(ask_id);
      if (vote) vote.calls += calls;
    }),
  ]);

  return {
    ask(bearer_digest, request_id) {
      if (bearer_digest === null || !isRpcId(request_id)) return;
      tell('call_cancel_asked', { ask_id: deps.ids.next('req'), bearer_digest, request_id });
    },
    stop,
  };
}
