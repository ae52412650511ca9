import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { errorBody, retryHeaders, sendJson } from '../answer.js';
import { BodyError, readBytes, readJson } from '../body.js';
import type { Bounds } from '../bounds.js';
import { callerOf, type Caller, type CallerDeps } from '../caller.js';
import { rowOf, type Failure } from '../failure.js';
import { challengeOf, stepUpChallenge, stepUpScopes } from '../oauth/challenge.js';
import { invalid, recordRefusal } from '../refusing.js';
import type { Refusal, RouterPort } from '../router-port.js';

/** What the REST routes need; made once at start. */
export interface RestEdge {
  readonly router: RouterPort;
  readonly callers: CallerDeps;
  readonly bounds: Bounds;
  /** URL of the MCP endpoint as clients reach it. */
  readonly mcp_url: () => string;
}

/** One REST request while it is served. */
export interface Ask {
  readonly res: ServerResponse;
  readonly caller: Caller;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** Opens a request; null when a scope header was odd, which was then refused. */
export async function openAsk(
  edge: RestEdge,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Ask | null> {
  const caller = callerOf(edge.callers, req, 'rest');
  const abort = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) abort.abort();
  });
  const ask = { res, caller, signal: abort.signal };
  if (caller.odd_header === null) return ask;
  await refuseAsk(edge, ask, 400, invalid(`${caller.odd_header} is not a short token.`, { rule: 'header' }));
  return null;
}

/** The body of a POST as an object; `{}` when there is none. Null when it was refused. */
export async function readObject(
  edge: RestEdge,
  ask: Ask,
  req: IncomingMessage,
): Promise<Record<string, unknown> | null> {
  try {
    // Some clients send no body as an empty chunked one: only reading tells.
    if (req.headers['content-type'] === undefined && (await readBytes(req, edge.bounds)).length === 0)
      return {};
    const body = await readJson(req, edge.bounds);
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return body as Record<string, unknown>;
    await refuseAsk(edge, ask, 400, invalid('The body must be a JSON object.', { path: '', rule: 'type' }));
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    if (error.closes) ask.res.setHeader('connection', 'close');
    await refuseAsk(edge, ask, error.http, {
      code: error.code,
      message: error.message,
      details: error.details,
    });
  }
  return null;
}

/** Records a refusal of the edge itself and answers it, or what outranks it. */
export async function refuseAsk(
  edge: RestEdge,
  ask: Ask,
  http: number,
  refusal: Refusal,
  headers: OutgoingHttpHeaders = {},
): Promise<void> {
  const { kind, failure } = await recordRefusal(edge.router, ask.caller, refusal);
  if (kind === 'outranked') sendRestFailure(ask, failure);
  else sendJson(ask.res, http, errorBody(failure), headers);
}

/** The error body with the status of the table; a 401 brings its challenge, a token's lack of scope what to ask for. */
export function sendRestFailure({ res, caller }: Pick<Ask, 'res' | 'caller'>, failure: Failure): void {
  const { http } = rowOf(failure.code);
  const headers: OutgoingHttpHeaders = { ...retryHeaders(failure) };
  if (http === 401) headers['www-authenticate'] = challengeOf(caller, failure.message);
  const scopes = stepUpScopes(failure, caller.oauth);
  if (scopes && caller.oauth)
    headers['www-authenticate'] = stepUpChallenge(caller.oauth, scopes, failure.message);
  sendJson(res, http, errorBody(failure), headers);
}

/** A listed object that is not there, or not for this caller: told like a target that is not. */
export const notFound = (message: string) => ({ code: 'target_not_found' as const, message });
