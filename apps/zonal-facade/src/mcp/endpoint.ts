import { traceIdOf } from '@adaos/runtime';
import { CLIENT_INFO_META_KEY, TRACEPARENT_META_KEY } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptedForm, acceptsSse } from '../accept.js';
import { sendEmpty, sendJson } from '../answer.js';
import { BodyError, readJson } from '../body.js';
import { callerOf, type Caller } from '../caller.js';
import { invalid, recordRefusal } from '../refusing.js';
import type { Refusal } from '../router-port.js';
import { spellingFault } from '../spelling.js';
import { errorOf, sendFailure } from './answer.js';
import type { Exchange, McpEdge } from './exchange.js';
import { fastRouter, serveFast } from './fast-path.js';
import type { AbortCause } from './in-flight.js';
import {
  codeOfParse,
  INVALID_REQUEST,
  isObject,
  isToolNotification,
  metaOf,
  paramsOf,
  rpcError,
  shapeFault,
} from './json-rpc.js';
import { responseStream } from './response-stream.js';
import { sdkServer } from './sdk-path.js';
import { serveBySdk } from './serve-sdk.js';

export interface McpEndpoint {
  serve(req: IncomingMessage, res: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/**
 * The MCP endpoint, top to bottom: headers, body, shape, then the fast path or the SDK. A refusal goes through router first: it is
 * recorded, and a bad bearer is told so before anything else.
 */
export function mcpEndpoint(edge: McpEdge): McpEndpoint {
  const sdk = sdkServer(edge);
  const fastRoute = edge.fast_path ? fastRouter() : () => null;

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const caller = callerOf(edge.callers, req, 'mcp');
    const refuse = (http: number, code: number, refusal: Refusal) =>
      refuseWith(edge, { res, caller }, { http, code, refusal });

    if (req.method !== 'POST') return notAllowed(edge, { res, caller });
    if (caller.odd_header) {
      return refuse(
        400,
        INVALID_REQUEST,
        invalid(`${caller.odd_header} is not a short token.`, { rule: 'header' }),
      );
    }
    const form = acceptedForm(req.headers.accept);
    if (form === null)
      return refuse(406, INVALID_REQUEST, invalid('Accept allows neither JSON nor SSE.', { rule: 'accept' }));

    let body: unknown;
    try {
      body = await readJson(req, edge.bounds);
    } catch (error) {
      if (!(error instanceof BodyError)) throw error;
      if (error.closes) res.setHeader('connection', 'close');
      const code = error.http === 400 ? codeOfParse(error) : INVALID_REQUEST;
      return refuse(error.http, code, { code: error.code, message: error.message, details: error.details });
    }
    const fault = shapeFault(body) ?? spellingFault(body);
    if (fault) return refuse(400, INVALID_REQUEST, invalid(fault.message, { rule: fault.rule }));

    const exchange: Exchange = {
      req,
      res,
      body,
      form,
      takes_sse: acceptsSse(req.headers.accept),
      stream: responseStream(res),
      caller: callerIn(caller, body),
      abort: new AbortController(),
    };
    res.once('close', () => {
      if (!res.writableFinished) exchange.abort.abort('disconnected' satisfies AbortCause);
    });
    if (isToolNotification(body)) return refuseNotification(edge, exchange);
    const route = fastRoute(exchange);
    return route ? serveFast(edge, exchange, route) : serveBySdk(edge, sdk, exchange);
  }

  return { serve, close: () => sdk.close() };
}

/** The body knows more of the client than its headers: the modern era names it in each request, the legacy one in `initialize`. */
function callerIn(caller: Caller, body: unknown): Caller {
  const params = paramsOf(body);
  const meta = metaOf(params);
  const info = meta[CLIENT_INFO_META_KEY] ?? params['clientInfo'];
  const traceparent = meta[TRACEPARENT_META_KEY];
  const trace_id = typeof traceparent === 'string' ? traceIdOf(traceparent) : null;
  const named = isObject(info) && typeof info['name'] === 'string';
  if (!named && trace_id === null) return caller;
  const client = named
    ? { ...caller.client, name: clip(info['name'], 128), version: clip(info['version'], 64) }
    : caller.client;
  return { ...caller, client, trace_id: trace_id ?? caller.trace_id };
}

const clip = (value: unknown, max: number) => (typeof value === 'string' ? value.slice(0, max) : '');

type Asked = Pick<Exchange, 'res' | 'caller'>;

/** 401 comes before 405: a stranger learns nothing of what is served here, and clients that try GET first get their challenge. */
async function notAllowed(edge: McpEdge, asked: Asked): Promise<void> {
  const refusal = invalid('Method not allowed.', { rule: 'method' });
  const { kind, failure } = await recordRefusal(edge.router, asked.caller, refusal);
  if (kind === 'outranked') return sendFailure(asked, failure, null);
  sendJson(asked.res, 405, rpcError(null, { code: -32000, message: 'Method not allowed.' }), {
    allow: 'POST',
  });
}

interface Said {
  readonly http: number;
  /** JSON-RPC code. */
  readonly code: number;
  readonly refusal: Refusal;
}

async function refuseWith(edge: McpEdge, asked: Asked, { http, code, refusal }: Said): Promise<void> {
  const { kind, failure } = await recordRefusal(edge.router, asked.caller, refusal);
  if (kind === 'outranked') return sendFailure(asked, failure, null);
  sendJson(asked.res, http, rpcError(null, { ...errorOf(failure), code }));
}

async function refuseNotification(edge: McpEdge, exchange: Exchange): Promise<void> {
  const name = String(paramsOf(exchange.body)['name']).slice(0, 256);
  const refusal = invalid('A tool call sent as a notification is not run.', { rule: 'notification', name });
  const { kind, failure } = await recordRefusal(edge.router, exchange.caller, refusal);
  if (kind === 'outranked') return sendFailure(exchange, failure, null);
  sendEmpty(exchange.res, 202);
}
