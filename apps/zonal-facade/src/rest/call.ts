import { CallRequest, OpError, validator } from '@adaos/contracts';
import type { Request, Response } from 'express';
import { Type, type Static } from 'typebox';
import { adviseRetry, sendJson } from '../answer.js';
import { failureIn, failureOf, isStepUp, outranks } from '../failure.js';
import { MCP_PATH } from '../paths.js';
import { labelRoute } from '../route-label.js';
import { openAsk, readObject, refuseAsk, sendRestFailure, type RestEdge } from './edge.js';

const { request_id, trace_id, dry_run, approval_id } = CallRequest.properties;
/** Body of `POST /call`. `arguments` are whatever was sent: router judges them. */
export const CallBody = Type.Object(
  {
    tool_id: Type.String({ minLength: 1, maxLength: 256 }),
    arguments: Type.Optional(Type.Unknown()),
    dry_run,
    request_id,
    trace_id,
    approval_id,
  },
  { additionalProperties: false },
);
type CallBody = Static<typeof CallBody>;

export const CALL_PATH = `${MCP_PATH}/call`;
const checkBody = validator<CallBody>(CallBody);
// They say that the credential does not fit the place, not that the tool refused.
const SCOPE_CODES = new Set(['zone_mismatch', 'scope_mismatch']);

/** `POST /call`: any tool by id. A refusal by the tool or by policy is a 200 envelope with `ok: false`, as upstream's clients expect. */
export function callHandler(edge: RestEdge) {
  return async (req: Request, res: Response): Promise<void> => {
    labelRoute(req, CALL_PATH);
    const ask = await openAsk(edge, req, res);
    if (!ask) return;
    const sent = await readObject(edge, ask, req);
    if (!sent) return;
    let body: CallBody;
    try {
      body = checkBody(sent);
    } catch (error) {
      if (!(error instanceof OpError)) throw error;
      return refuseAsk(edge, ask, 400, {
        code: 'invalid_argument',
        message: error.message,
        details: error.details,
      });
    }
    const { tool_id, arguments: args = {}, trace_id: named_trace, ...rest } = body;
    const caller = named_trace === undefined ? ask.caller : { ...ask.caller, trace_id: named_trace };
    try {
      const envelope = await edge.router.call(
        caller,
        { name: tool_id, arguments: args, ...rest },
        ask.signal,
      );
      const failure = failureIn(envelope);
      if (failure && (outranks(failure) || isStepUp(failure) || SCOPE_CODES.has(failure.code)))
        return sendRestFailure(ask, failure);
      adviseRetry(res, envelope);
      sendJson(res, 200, envelope);
    } catch (error) {
      sendRestFailure(ask, failureOf(error, caller));
    }
  };
}
