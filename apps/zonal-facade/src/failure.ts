import { BusError, type BusFault } from '@adaos/bus';
import { ERRORS, toErrorBody, type Envelope, type ErrorCode } from '@adaos/contracts';
import type { Caller, CallerDeps } from './caller.js';

/** Why there is no result, linked to its record. `request_id` is the call id when no service gave the request one. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: Record<string, unknown>;
  readonly request_id: string;
  readonly trace_id: string;
  readonly audit_event_id: string | null;
}

/** HTTP status and JSON-RPC code of a code. A router newer than this edge may know more codes; they count as internal. */
export const rowOf = (code: string) =>
  Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : ERRORS.internal;

const AUTH = new Set(['unauthenticated', 'lease_expired', 'lease_revoked']);
/** Is it the credential that failed? Then the answer is a 401 and a challenge, whatever was asked. */
export const isAuthFailure = (failure: Pick<Failure, 'code'>) => AUTH.has(failure.code);

/**
 * Is it about who asks and not about what? Then it is told by the HTTP status, whatever was asked. So is an address that failed too
 * often: its bearer was not even looked at.
 */
export const outranks = (failure: Pick<Failure, 'code' | 'details'>) =>
  isAuthFailure(failure) || (failure.code === 'rate_limited' && failure.details?.['scope'] === 'address');

/** Would another scope help? Router says so of tokens of an authorization server alone, and names the profiles. */
export const isStepUp = (failure: Pick<Failure, 'code' | 'details'>): boolean =>
  failure.code === 'insufficient_scope' && Array.isArray(failure.details?.['required_profiles']);

// Seen from a client, a router that is away and one that is silent are the same: a part of the zone is away, retry.
const EDGE_FAULTS: Partial<Record<BusFault, ErrorCode>> = {
  no_responders: 'dependency_unavailable',
  timeout: 'dependency_unavailable',
  closed: 'dependency_unavailable',
  too_large: 'result_too_large',
  aborted: 'cancelled',
};

/** What a throw on the way to the router means to the client: never a stack, never a subject name. */
export function failureOf(error: unknown, caller: Pick<Caller, 'call_id' | 'trace_id'>): Failure {
  const ids = { request_id: caller.call_id, trace_id: caller.trace_id, audit_event_id: null };
  if (error instanceof BusError) {
    const code = EDGE_FAULTS[error.fault] ?? 'internal';
    return { code, message: ERRORS[code].message, ...ids };
  }
  const { code, message, details = {} } = toErrorBody(error);
  const { request_id, trace_id, audit_event_id, ...rest } = details;
  return {
    code,
    message,
    ...(Object.keys(rest).length > 0 && { details: rest }),
    request_id: textOr(request_id, ids.request_id),
    trace_id: textOr(trace_id, ids.trace_id),
    audit_event_id: textOr(audit_event_id, null),
  };
}

/** The failure an envelope tells of, or null when the call succeeded. */
export function failureIn(envelope: Envelope): Failure | null {
  if (envelope.ok) return null;
  const { request_id, trace_id, audit_event_id } = envelope;
  const { code, message, details } = envelope.error ?? { code: 'internal', message: ERRORS.internal.message };
  return { code, message, ...(details && { details }), request_id, trace_id, audit_event_id };
}

/** Ids for an answer that no service took part in. */
export const freshIds = (ids: CallerDeps['ids']) => ({
  request_id: ids.next('req'),
  trace_id: ids.trace(),
  audit_event_id: null,
});

const textOr = <T>(value: unknown, fallback: T): string | T => (typeof value === 'string' ? value : fallback);
