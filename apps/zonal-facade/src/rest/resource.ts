import type { Envelope } from '@adaos/contracts';
import type { Request, Response } from 'express';
import type { OutgoingHttpHeaders } from 'node:http';
import { sendJson } from '../answer.js';
import { failureIn, failureOf } from '../failure.js';
import type { ResourceRoute, View } from '../handlers.js';
import { MCP_PATH } from '../paths.js';
import { invalid } from '../refusing.js';
import { labelRoute } from '../route-label.js';
import { pathNames, propertiesOf, queryArguments } from './arguments.js';
import {
  notFound,
  openAsk,
  readObject,
  refuseAsk,
  sendRestFailure,
  type Ask,
  type RestEdge,
} from './edge.js';

/** An Express handler for one row of the table: arguments in, one governed call, its result out. */
export function resourceHandler(edge: RestEdge, route: ResourceRoute) {
  const properties = propertiesOf(route.tool_id);
  const in_path = pathNames(route);

  return async (req: Request, res: Response): Promise<void> => {
    labelRoute(req, route.path);
    const ask = await openAsk(edge, req, res);
    if (!ask) return;
    const given = queryArguments(new URL(req.url, 'http://edge').searchParams, properties);
    if ('fault' in given) {
      const { message, ...details } = given.fault;
      return refuseAsk(edge, ask, 400, invalid(message, details));
    }
    const body = route.method === 'post' ? await readObject(edge, ask, req) : {};
    if (!body) return;
    const args: Record<string, unknown> = { ...given.args, ...body };
    for (const name of in_path) {
      if (Object.hasOwn(args, name)) {
        return refuseAsk(
          edge,
          ask,
          400,
          invalid(`/${name} is named by the path.`, { path: `/${name}`, rule: 'once' }),
        );
      }
      args[name] = req.params[name];
    }
    const envelope = await callTool(edge, ask, route.tool_id, args);
    if (!envelope) return;
    const etag = route.etag && etagOf(envelope.result ?? {}, route.etag);
    if (!etag) return sendView(edge, ask, envelope, route.view);
    // The same content may be kept by this caller, and asked for again: the read itself was decided and recorded as ever.
    const headers = { etag, 'cache-control': 'private, no-cache', vary: 'Authorization' };
    if (namesTag(req.headers['if-none-match'], etag)) res.writeHead(304, headers).end();
    else sendView(edge, ask, envelope, route.view, headers);
  };
}

/** The envelope of a call that succeeded; null when it did not, which was then answered. */
export async function callTool(
  edge: RestEdge,
  ask: Ask,
  name: string,
  args: Record<string, unknown>,
): Promise<Envelope | null> {
  try {
    const envelope = await edge.router.call(ask.caller, { name, arguments: args }, ask.signal);
    const failure = failureIn(envelope);
    if (!failure) return envelope;
    sendRestFailure(ask, failure);
  } catch (error) {
    sendRestFailure(ask, failureOf(error, ask.caller));
  }
  return null;
}

/** `{ok, ids, …result}`, or the part of the result the route shows. */
function sendView(
  edge: RestEdge,
  ask: Ask,
  envelope: Envelope,
  view?: View,
  headers: OutgoingHttpHeaders = {},
): void {
  const shown = viewed(envelope.result ?? {}, view, edge.mcp_url());
  const { request_id, trace_id, audit_event_id } = envelope;
  const ids = { request_id, trace_id, audit_event_id };
  if (shown === null && view && 'missing' in view)
    return sendRestFailure(ask, { ...notFound(view.missing), ...ids });
  sendJson(ask.res, 200, { ok: true, ...ids, ...shown }, headers);
}

/** A weak validator: the ids beside the content differ from answer to answer. */
function etagOf(result: Record<string, unknown>, [member, field]: NonNullable<ResourceRoute['etag']>) {
  const hash = (result[member] as Record<string, unknown> | undefined)?.[field];
  return typeof hash === 'string' ? `W/"${hash}"` : null;
}

/** RFC 9110, 13.1.2: any of the tags listed, compared weakly. */
const namesTag = (header: string | undefined, etag: string): boolean =>
  (header ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^(?!W\/)/, 'W/'))
    .includes(etag);

/** Null when the one entry asked for is not in the list. */
export function viewed(
  result: Record<string, unknown>,
  view?: View,
  mcp_url = '',
): Record<string, unknown> | null {
  if (!view) return result;
  // A client came in by this URL; the service that answered may not have been told it.
  if ('fill' in view)
    return { ...result, root_url: result['root_url'] ?? mcp_url.slice(0, -MCP_PATH.length) };
  if ('only' in view) return Object.fromEntries(view.only.map((name) => [name, result[name]]));
  const list = result[view.entry_of];
  const entry: unknown = Array.isArray(list) ? list[0] : undefined;
  return entry === undefined ? null : { [view.as]: entry };
}
