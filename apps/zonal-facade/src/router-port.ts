import { BusError, type Bus } from '@adaos/bus';
import {
  ERRORS,
  findTool,
  OpError,
  subjectOf,
  type Envelope,
  type ErrorCode,
  type Identity,
  type InputGiven,
  type Listed,
  type ListPurpose,
  type PublishedTool,
  type Standing,
  type Run,
  type RunVerb,
  type RunView,
} from '@adaos/contracts';
import { traceparentOf, type Log } from '@adaos/runtime';
import type { Bounds } from './bounds.js';
import type { Caller } from './caller.js';
import type { LostCalls } from './lost-calls.js';

/** What is asked of a tool. `arguments` travel as the client sent them: router judges them, also when they are no object. */
export interface Ask {
  readonly name: string;
  readonly arguments: unknown;
  readonly dry_run?: boolean;
  readonly approval_id?: string;
  readonly request_id?: string;
  /** What the client can be asked for on the way, and what it answered. */
  readonly input?: InputGiven;
  /** Somebody listens for its progress. */
  readonly progress?: boolean;
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
  /** The same for a call that may go on as a run: then it is answered as soon as it has begun. */
  startRun(caller: Caller, ask: Ask, signal: AbortSignal): Promise<{ run: Run } | { envelope: Envelope }>;
  /** A run of this caller's lease, after what the verb does to it; null when it has none of that id. */
  run(caller: Caller, run_id: string, verb: RunVerb): Promise<RunView | null>;
  listTools(caller: Caller): Promise<{ tools: PublishedTool[]; identity: Identity }>;
  /** Which tools the caller lists, for a list of another kind. */
  listed(caller: Caller, purpose: ListPurpose): Promise<Listed>;
  /** Do these bearers still hold, in the order asked; with `lists`, what each lists. */
  standings(bearer_digests: readonly string[], lists: boolean): Promise<Standing[]>;
  identify(caller: Caller): Promise<Identity>;
  /** Records a request the edge itself refused. The envelope holds that refusal, or the failure of the bearer. */
  refuse(caller: Caller, refusal: Refusal): Promise<Envelope>;
  /** Is somebody serving behind the bus? */
  isServing(): Promise<boolean>;
}

export interface RouterPortDeps {
  readonly bus: Bus;
  readonly bounds: Pick<
    Bounds,
    'call_timeout_ms' | 'call_margin_ms' | 'ask_timeout_ms' | 'ready_timeout_ms' | 'standing_timeout_ms'
  >;
  readonly log: Log;
  readonly lost_calls: Pick<LostCalls, 'watch'>;
}

export function routerPort({ bus, bounds, log, lost_calls }: RouterPortDeps): RouterPort {
  const CALL = subjectOf('router_call');
  const START_RUN = subjectOf('router_start_run');
  const RUN = subjectOf('router_run');
  const LIST = subjectOf('router_list_tools');
  const LISTED = subjectOf('router_listed');
  const STANDING = subjectOf('router_standing');
  const IDENTIFY = subjectOf('router_identify');
  const REFUSE = subjectOf('router_refuse');
  const CANCELLED = subjectOf('call_cancelled');

  async function ask<T>(subject: string, caller: Caller, body: object, bound: AskBound): Promise<T> {
    const { call_id: request_id, trace_id } = caller;
    const headers = { request_id, traceparent: traceparentOf(trace_id) };
    try {
      return await bus.request<T>(subject, { ...whoAsks(caller), ...body }, { ...bound, headers });
    } catch (error) {
      // The client reads "a part of the zone is away"; which one and why is the operator's to see.
      if (error instanceof BusError && error.fault !== 'aborted') {
        log.warn({ fault: error.fault, subject, trace_id }, 'router was not reached');
      }
      throw error;
    }
  }
  const waitFor = (name: string) =>
    Math.min(bounds.call_timeout_ms, (findTool(name)?.contract.timeout_ms ?? 0) + bounds.call_margin_ms);
  const soon = { timeout_ms: bounds.ask_timeout_ms };

  /** Sends a call; a caller that leaves is told to router, and what is too large on the bus is refused like any other oversized body. */
  async function send<T>(
    subject: string,
    caller: Caller,
    { name, ...rest }: Ask,
    signal: AbortSignal,
    refused: (envelope: Envelope) => T,
  ): Promise<T> {
    const { call_id } = caller;
    const ended = new AbortController();
    const tell = () => {
      ended.abort();
      try {
        bus.publish(CANCELLED, {
          call_id,
          reason: signal.reason === 'cancelled' ? 'cancelled' : 'client_disconnected',
        });
      } catch {
        // A bus that is away loses the event as a network would; a throw here would end the process.
      }
    };
    if (signal.aborted) throw new BusError('aborted', subject);
    signal.addEventListener('abort', tell, { once: true });
    let lost = false;
    const unwatch = lost_calls.watch(call_id, () => {
      lost = true;
      ended.abort();
    });
    try {
      // No contract has a name that long; what is cut off can't turn an unknown tool into a known one.
      const body = { call_id, name: name.slice(0, 256), ...rest };
      return await ask<T>(subject, caller, body, {
        timeout_ms: waitFor(name),
        signal: ended.signal,
      });
    } catch (error) {
      // Its router died: like one that is silent, only sooner.
      if (lost) throw new BusError('timeout', subject);
      // Longer on the bus than it was on the wire: refused on record and after the bearer was judged.
      if (!(error instanceof BusError) || error.fault !== 'too_large') throw error;
      const refusal = { code: 'result_too_large' as const, message: ERRORS.result_too_large.message };
      return refused(await ask<Envelope>(REFUSE, caller, refusal, soon));
    } finally {
      unwatch();
      signal.removeEventListener('abort', tell);
    }
  }

  return {
    call: (caller, asked, signal) => send<Envelope>(CALL, caller, asked, signal, (envelope) => envelope),
    startRun: (caller, asked, signal) => send(START_RUN, caller, asked, signal, (envelope) => ({ envelope })),
    run: async (caller, run_id, verb) =>
      (await ask<{ view: RunView | null }>(RUN, caller, { run_id, verb }, soon)).view,
    listTools: (caller) => ask(LIST, caller, {}, soon),
    listed: (caller, purpose) => ask(LISTED, caller, { purpose }, soon),
    async standings(bearer_digests, lists) {
      const body = { bearer_digests, lists };
      const timeout_ms = bounds.standing_timeout_ms;
      return (await bus.request<{ standings: Standing[] }>(STANDING, body, { timeout_ms })).standings;
    },
    identify: (caller) => ask(IDENTIFY, caller, {}, soon),
    refuse: (caller, refusal) => ask(REFUSE, caller, refusal, soon),
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

interface AskBound {
  readonly timeout_ms: number;
  readonly signal?: AbortSignal;
}

const whoAsks = ({ credentials, zone, subnet_id, client, trace_id }: Caller) => ({
  bearer_digest: credentials.bearer_digest,
  zone,
  subnet_id,
  client,
  trace_id,
});
