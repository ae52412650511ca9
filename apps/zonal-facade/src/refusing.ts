import type { Caller } from './caller.js';
import { failureIn, failureOf, outranks, type Failure } from './failure.js';
import type { Refusal, RouterPort } from './router-port.js';

export type Recorded =
  /** The refusal stands, and is on record under these ids. */
  | { readonly kind: 'recorded'; readonly failure: Failure }
  /** Something outranks it: the bearer is bad, or router is away and nothing can be said of the bearer. */
  | { readonly kind: 'outranked'; readonly failure: Failure };

/**
 * Puts a request that the edge refuses on record before it is answered. Every such refusal passes here, so that a probe of the parser
 * leaves a trace like a denied call does.
 */
export async function recordRefusal(router: RouterPort, caller: Caller, refusal: Refusal): Promise<Recorded> {
  try {
    const envelope = await router.refuse(caller, refusal);
    const failure = failureIn(envelope);
    if (failure && outranks(failure)) return { kind: 'outranked', failure };
    const { request_id, trace_id, audit_event_id } = envelope;
    return { kind: 'recorded', failure: { ...refusal, request_id, trace_id, audit_event_id } };
  } catch (error) {
    return { kind: 'outranked', failure: failureOf(error, caller) };
  }
}

/** A refusal for what the client sent, naming the rule it broke. */
export const invalid = (message: string, details: Record<string, unknown>): Refusal => ({
  code: 'invalid_argument',
  message,
  details,
});
