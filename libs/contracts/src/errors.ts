/** The one error table: code → HTTP status, JSON-RPC code, may the caller retry as is, what the caller reads. */
const row = (http: number, jsonrpc: number, retryable: boolean, message: string) =>
  ({ http, jsonrpc, retryable, message }) as const;

/**
 * JSON-RPC codes of our own lie outside -32768…-32000 (reserved by JSON-RPC and MCP 2026-07-28).
 * A message tells a stranger nothing; what an operator needs stands in the event.
 */
export const ERRORS = {
  unauthenticated: row(401, 1001, false, 'A valid bearer is required.'),
  lease_expired: row(401, 1002, false, 'The lease has expired; ask the operator for a new one.'),
  lease_revoked: row(401, 1003, false, 'The lease was revoked; ask the operator for a new one.'),
  forbidden: row(403, 1004, false, 'This credential may not do that.'),
  insufficient_scope: row(403, 1005, false, 'The credential lacks the scope this needs.'),
  scope_mismatch: row(403, 1006, false, 'The subnet named does not match the credential.'),
  zone_mismatch: row(403, 1007, false, 'The zone named does not match the credential.'),
  target_forbidden: row(403, 1008, false, 'This credential does not reach that target.'),
  target_not_found: row(404, 1009, false, 'No such target.'),
  target_offline: row(503, 1010, true, 'The target is offline; retry when it reports again.'),
  environment_forbidden: row(403, 1011, false, 'The target environment does not allow this tool.'),
  surface_unavailable: row(409, 1012, false, 'The target publishes no operational surface.'),
  capability_not_published: row(409, 1013, false, 'The target does not publish this capability.'),
  skill_not_installed: row(409, 1014, false, 'infra_access_skill is not installed on the target.'),
  skill_disabled: row(409, 1015, false, 'infra_access_skill is disabled on the target.'),
  report_unverified: row(409, 1016, true, 'The target has not sent a verified report yet.'),
  tool_not_found: row(404, -32602, false, 'Unknown tool.'),
  invalid_argument: row(400, -32602, false, 'An argument is not valid.'),
  approval_required: row(409, 1020, false, 'An operator must approve this first.'),
  approval_mismatch: row(409, 1021, false, 'The approval names another change.'),
  approval_expired: row(409, 1022, false, 'The approval has expired.'),
  plan_stale: row(409, 1023, false, 'The plan is stale; make a new one.'),
  rate_limited: row(429, 1024, true, 'Too many calls; retry after the time given.'),
  concurrency_limited: row(429, 1025, true, 'Too many calls at once; retry when one has ended.'),
  deadline_exceeded: row(504, 1026, true, 'The call ran out of time; its outcome is in the record.'),
  cancelled: row(499, 1027, true, 'The call was cancelled.'),
  result_too_large: row(413, 1028, false, 'The result or request is over the size limit; ask for less.'),
  duplicate_request: row(409, 1029, false, 'The same request is still running.'),
  conflict: row(409, 1030, false, 'The request id was used before with other arguments.'),
  adapter_failed: row(502, 1031, false, 'The target could not carry out the operation.'),
  audit_unavailable: row(503, 1032, true, 'The record cannot be written, so nothing was done.'),
  dependency_unavailable: row(503, 1033, true, 'A part of the zone is away; retry shortly.'),
  input_required: row(
    409,
    1034,
    false,
    'The tool asks for input on the way, and this client can not be asked.',
  ),
  internal: row(500, -32603, false, 'Internal error; the operator finds it under the trace id.'),
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** An expected failure with a code of the table. `details` go to the caller: never put a secret or an internal path there. */
export class OpError extends Error {
  override readonly name = 'OpError';
  constructor(
    readonly code: ErrorCode,
    readonly details?: Record<string, unknown>,
    message?: string,
  ) {
    super(message ?? ERRORS[code].message);
  }
}

/** What a caller sees of an error. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>;
}

/** Turns any throw into an error body. An unknown throw becomes `internal` and its message stays inside. */
export function toErrorBody(error: unknown): ErrorBody {
  if (!(error instanceof OpError)) return { code: 'internal', message: ERRORS.internal.message };
  return { code: error.code, message: error.message, ...(error.details && { details: error.details }) };
}

/** Rebuilds an OpError from the body a peer sent; a code that is not in the table becomes `internal`. */
export function fromErrorBody(body: { code?: unknown; message?: unknown; details?: unknown }): OpError {
  const code =
    typeof body.code === 'string' && Object.hasOwn(ERRORS, body.code) ? (body.code as ErrorCode) : 'internal';
  const details =
    typeof body.details === 'object' && body.details !== null
      ? (body.details as Record<string, unknown>)
      : undefined;
  return new OpError(
    code,
    details,
    typeof body.message === 'string' && code !== 'internal' ? body.message : undefined,
  );
}

/** HTTP statuses that say the request was at fault: nothing was done. */
const REFUSED = new Set<number>([400, 401, 403, 404, 409, 413, 429]);

/** How a call that ended with this code is recorded: refused before anything was done, out of time, cancelled, or failed. */
export function statusOfCode(
  code: ErrorCode,
): 'denied' | 'failed' | 'timed_out' | 'cancelled' | 'approval_required' {
  if (code === 'approval_required') return 'approval_required';
  if (code === 'deadline_exceeded') return 'timed_out';
  if (code === 'cancelled') return 'cancelled';
  return REFUSED.has(ERRORS[code].http) ? 'denied' : 'failed';
}
