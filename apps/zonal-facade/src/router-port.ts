import { BusError, type Bus } from '@adaos/bus';
import { OpError, subjectOf, type Envelope, type ErrorCode, type Identity } from '@adaos/contracts';
import { traceparentOf } from '@adaos/runtime';
import type { Bounds } from './bounds.js';
import type { Caller } from './caller.js';

/** A tool as router publishes it for one bearer: ready for the wire. */
export interface PublishedTool {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** What is asked of a tool. `arguments` travel as the client sent them: router judges them, also when they are no object. */
export interface Ask {
  readonly name: string;
  readonly arguments: unknown;
  readonly dry_run?: boolean;
  readonly request_id?: string;
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Record<string, unknown>;
}

/**
 * All the facade knows of the services behind it. Router authenticates, decides and records; a throw is an OpError it answered with
 * or a BusError when it did not answer.
 */
export interface RouterPort {
  /** One governed call. When `signal` aborts first, router is told that nobody waits any more. */
  call(caller: Caller, ask: Ask, signal: AbortSignal): Promise<Envelope>;
  listTools(caller: Caller): Promise<{ tools: PublishedTool[]; identity: Identity }>;
  identify(caller: Caller): Promise<Identity>;
  /** Records a request the edge itself refused. The envelope holds that refusal, or the failure of the bearer. */
  refuse(caller: Caller, refusal: Refusal): Promise<Envelope>;
  /** Is somebody serving behind the bus? */
  isServing(): Promise<boolean>;
}

export function routerPort(
  bus: Bus,
  bounds: Pick<Bounds, 'call_timeout_ms' | 'ask_timeout_ms' | 'ready_timeout_ms'>,
): RouterPort {
  const CALL = subjectOf('router_call');
  const LIST = subjectOf('router_list_tools');
  const IDENTIFY = subjectOf('router_identify');
  const REFUSE = subjectOf('router_refuse');
  const CANCELLED = subjectOf('call_cancelled');

  const headers = (caller: Caller) => ({
    request_id: caller.call_id,
    traceparent: traceparentOf(caller.trace_id),
  });
  const ask = <T>(subject: string, caller: Caller, body: unknown) =>
    bus.request<T>(subject, body, { timeout_ms: bounds.ask_timeout_ms, headers: headers(caller) });

  return {
    async call(caller, { name, ...rest }, signal) {
      const { call_id } = caller;
      const tell = () => {
        try {
          bus.publish(CANCELLED, { call_id });
        } catch {
          // A bus that is away loses the event as a network would; a throw here would end the process.
        }
      };
      // No contract has a name that long; what is cut off can't turn an unknown tool into a known one.
      const body = { call_id, ...whoAsks(caller), name: name.slice(0, 256), ...rest };
      if (signal.aborted) throw new BusError('aborted', CALL);
      signal.addEventListener('abort', tell, { once: true });
      try {
        return await bus.request<Envelope>(CALL, body, {
          timeout_ms: bounds.call_timeout_ms,
          headers: headers(caller),
          signal,
        });
      } finally {
        signal.removeEventListener('abort', tell);
      }
    },
    listTools: (caller) => ask(LIST, caller, whoAsks(caller)),
    identify: (caller) => ask(IDENTIFY, caller, whoAsks(caller)),
    refuse: (caller, refusal) => ask(REFUSE, caller, { ...whoAsks(caller), ...refusal }),
    async isServing() {
      if (!bus.connected) return false;
      try {
        // Not even an IdentifyRequest: any answer proves a live router, and there is no one in it to record.
        await bus.request(IDENTIFY, {}, { timeout_ms: bounds.ready_timeout_ms });
        return true;
      } catch (error) {
        return error instanceof OpError && !(error instanceof BusError);
      }
    },
  };
}

const whoAsks = ({ credentials, zone, subnet_id, client, trace_id }: Caller) => ({
  bearer_digest: credentials.bearer_digest,
  zone,
  subnet_id,
  client,
  trace_id,
});
