import { BusError, type Bus, type Served, type Subscription } from '@adaos/bus';
import type { Log } from '@adaos/runtime';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a NATS server allows unless told otherwise; used for bounds until the real figure is known. */
const USUAL_PAYLOAD = 1024 * 1024;
const RETRY_MS = 15_000;

/**
 * A bus that may be used before its broker was ever reached: requests fail with `closed` until then, subscriptions begin by themselves
 * once it is there. A hub whose root is away still runs its services. Tries for ever; `log` hears of the first failure of each kind.
 */
export function connectingBus(connect: (signal: AbortSignal) => Promise<Bus>, log: Log): Bus {
  const stopped = new AbortController();
  const waiting = new Set<(bus: Bus) => void>();
  let real: Bus | null = null;

  async function untilConnected(): Promise<void> {
    for (let said = ''; !stopped.signal.aborted;) {
      try {
        const bus = await connect(stopped.signal);
        if (stopped.signal.aborted) return bus.close();
        real = bus;
        for (const begin of [...waiting]) begin(bus);
        waiting.clear();
        return;
      } catch (error) {
        const fault = error instanceof BusError ? error.fault : 'unexpected';
        if (fault !== said) log.error({ err: error, fault }, 'broker can not be reached; services run on');
        said = fault;
        await sleep(RETRY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      }
    }
  }
  const connecting = untilConnected();

  function onceConnected(begin: (bus: Bus) => Subscription): Subscription {
    if (real) return begin(real);
    let begun: Subscription | null = null;
    const start = (bus: Bus) => void (begun = begin(bus));
    waiting.add(start);
    return {
      async stop(timeout_ms) {
        waiting.delete(start);
        await begun?.stop(timeout_ms);
      },
    };
  }

  const connected = (subject: string): Bus => {
    if (!real) throw new BusError('closed', subject);
    return real;
  };
  return {
    get max_payload() {
      return real?.max_payload ?? USUAL_PAYLOAD;
    },
    get connected() {
      return real?.connected ?? false;
    },
    request: async (subject, body, options) => connected(subject).request(subject, body, options),
    publish: (subject, body, headers) => connected(subject).publish(subject, body, headers),
    serve(subject, options, handler) {
      let served: Served | null = null;
      const begun = onceConnected((bus) => (served = bus.serve(subject, options, handler)));
      return {
        stop: (timeout_ms) => begun.stop(timeout_ms),
        holds: (request_id) => served?.holds(request_id) ?? false,
      };
    },
    subscribe: (subject, handler) => onceConnected((bus) => bus.subscribe(subject, handler)),
    append: async (subject, body, options) => connected(subject).append(subject, body, options),
    consume: async (options, handler) => connected(options.stream).consume(options, handler),
    async close() {
      stopped.abort();
      await connecting;
      await real?.close();
    },
  };
}
