import type { Caller } from '../caller.js';
import { retryHeaders, sendEmpty, sendJson, sendText } from '../answer.js';
import { isAuthFailure, rowOf, type Failure } from '../failure.js';
import { challengeOf, stepUpChallenge, stepUpScopes } from '../oauth/challenge.js';
import type { Exchange } from './exchange.js';
import { frameOf } from './response-stream.js';
import { rpcError, type RpcError, type RpcId } from './json-rpc.js';

/** What came of a request: a result, a JSON-RPC error in the band, a failure that shows as an HTTP status, or nobody left to answer. */
export type Answer =
  | { readonly kind: 'result'; readonly result: Record<string, unknown> }
  /** `http`: the status the revision sets for it, when it is not 200. */
  | { readonly kind: 'error'; readonly error: RpcError; readonly http?: number }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'cancelled' };

/** Ids of the record, for `data` of an error. */
export const idsOf = ({ request_id, trace_id, audit_event_id }: Failure) => ({
  request_id,
  trace_id,
  audit_event_id,
});

export const errorOf = (failure: Failure): RpcError => ({
  code: rowOf(failure.code).jsonrpc,
  message: failure.message,
  data: { code: failure.code, ...(failure.details && { details: failure.details }), ...idsOf(failure) },
});

/**
 * The answer to a failed identification. A mismatch of zone or subnet is not 403, which clients take for a login prompt (reference,
 * 6.7): a request gets an error in the band, all else the 401.
 */
export const identityAnswer = (failure: Failure, id: RpcId | null): Answer =>
  failure.code.endsWith('_mismatch') && id !== null
    ? { kind: 'error', error: errorOf(failure) }
    : { kind: 'failure', failure };

/** The 401 of either mode. The description is what Claude Code and others show to the user. */
export function sendChallenge(
  { res, caller }: Pick<Exchange, 'res'> & { caller: Caller },
  message: string,
): void {
  const body = {
    error: caller.credentials.sent ? 'invalid_token' : 'unauthorized',
    error_description: message,
  };
  sendJson(res, 401, body, { 'www-authenticate': challengeOf(caller, message) });
}

/** Sends a failure: the challenge when the credential failed or its scope lacks something, else the table's status with a JSON-RPC error. */
export function sendFailure(
  exchange: Pick<Exchange, 'res' | 'caller'>,
  failure: Failure,
  id: RpcId | null,
): void {
  const { oauth } = exchange.caller;
  const scopes = stepUpScopes(failure, oauth);
  if (oauth && scopes) {
    const { message } = failure;
    const body = { error: 'insufficient_scope', error_description: message, scope: scopes.join(' ') };
    return sendJson(exchange.res, 403, body, {
      'www-authenticate': stepUpChallenge(oauth, scopes, message),
    });
  }
  const { http } = rowOf(failure.code);
  if (isAuthFailure(failure) || http === 403) return sendChallenge(exchange, failure.message);
  sendJson(exchange.res, http, rpcError(id, errorOf(failure)), retryHeaders(failure));
}

/** Sends a JSON-RPC message of status 200 in the form the client takes. */
export function sendMessage(
  { res, form, stream }: Pick<Exchange, 'res' | 'form' | 'stream'>,
  text: string,
): void {
  if (stream.open) stream.finish(text);
  else if (form === 'json') sendText(res, 200, 'application/json', text);
  else sendText(res, 200, 'text/event-stream', frameOf(text));
}

/** Sends any answer to the request with this id. A cancelled request gets no JSON-RPC reply: strict clients drop the line at one (F04). */
export function sendAnswer(exchange: Exchange, answer: Answer, id: RpcId): void {
  const { res, stream } = exchange;
  if (answer.kind === 'result')
    sendMessage(exchange, JSON.stringify({ result: answer.result, jsonrpc: '2.0', id }));
  else if (answer.kind === 'error' && answer.http !== undefined && !stream.open)
    sendJson(res, answer.http, rpcError(id, answer.error));
  else if (answer.kind === 'error') sendMessage(exchange, JSON.stringify(rpcError(id, answer.error)));
  else if (stream.open) {
    // Its status has gone out: a failure travels in the band.
    const failed = answer.kind === 'failure' && JSON.stringify(rpcError(id, errorOf(answer.failure)));
    stream.finish(failed || null);
  } else if (answer.kind === 'failure') sendFailure(exchange, answer.failure, id);
  else sendEmpty(res, 202);
}
