import { ERRORS, type ErrorCode } from '@adaos/contracts';
import { redactText } from '@adaos/redact';
import type { Log } from '@adaos/runtime';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { errorBody, retryHeaders, sendJson } from './answer.js';
import { boundedWarn } from './bounded-warn.js';
import type { Bounds } from './bounds.js';
import type { CallerDeps } from './caller.js';
import type { Connections } from './connections.js';
import { answerCors } from './cors.js';
import { freshIds } from './failure.js';
import { inFlightBound } from './in-flight-bound.js';
import type { EdgeMetrics, EdgeRefusal } from './metrics.js';
import type { OriginGate } from './origin-gate.js';
import { MCP_PATH } from './paths.js';
import { labelRoute, routeOf } from './route-label.js';
import { whenStreaming } from './streaming.js';

export interface EdgeDeps {
  readonly gate: OriginGate;
  readonly bounds: Bounds;
  readonly metrics: EdgeMetrics;
  readonly connections: Connections;
  readonly callers: CallerDeps;
  readonly log: Log;
  /** Serves the MCP endpoint, and everything else. */
  readonly mcp: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  readonly rest: (req: IncomingMessage, res: ServerResponse) => void;
}

const FOREIGN = {
  host: 'This host is not served here.',
  origin: 'This origin may not call.',
  scheme: 'This is served over https only.',
} as const;
/** For the operator's log: what to set when it was no stranger. */
const IF_OURS = {
  host: 'name it in ALLOWED_HOSTS or PUBLIC_URL if it is yours',
  origin: 'name it in ALLOWED_ORIGINS if it is yours',
  scheme: 'PUBLIC_URL is https, yet the proxy took this request over http',
} as const;

/** Every request, top to bottom: count, gate, limits, route. Nothing it throws gets to the client or takes the process down. */
export function edgeListener(deps: EdgeDeps): (req: IncomingMessage, res: ServerResponse) => void {
  const { gate, bounds, metrics, connections, callers, log } = deps;
  // With a slash too: a redirect between the two would drop the Authorization header (F07).
  const mcp_paths = new Set([MCP_PATH, `${MCP_PATH}/`]);
  const under_way = inFlightBound(bounds);
  const warn = boundedWarn(log);
  let unread_told = false;

  /** Behind a proxy that nobody named all clients are one address: told once, since any client can send the header. */
  const tellUnread = (peer: string) => {
    if (unread_told) return;
    unread_told = true;
    log.warn(
      { peer },
      'X-Forwarded-For is not read from this peer; name it in TRUST_PROXY if it is your proxy',
    );
  };

  /** What is refused here costs no hop and leaves no event: it is counted, or a stranger could write the record. */
  const refuse = (
    res: ServerResponse,
    status: number,
    code: ErrorCode,
    reason: EdgeRefusal,
    message: string,
  ) => {
    metrics.refused(reason);
    const scope = reason === 'busy_address' && { scope: 'address' };
    const wait = status === 503 || status === 429 ? { details: { ...scope, retry_after_ms: 1_000 } } : {};
    const failure = { code, message, ...wait, ...freshIds(callers.ids) };
    sendJson(res, status, errorBody(failure), retryHeaders(failure));
  };

  return (req, res) => {
    const began = performance.now();
    const hop = callers.addresses.hopOf(req);
    const place = under_way.enter(hop.address);
    const answered = connections.serving(req);
    metrics.in_flight.inc();
    if (!hop.proxied && req.headers['x-forwarded-for'] !== undefined) tellUnread(hop.address);
    let counted = true;
    const leave = () => {
      if (!counted) return;
      counted = false;
      place.leave();
      metrics.in_flight.dec();
    };
    whenStreaming(req, leave);
    res.once('close', () => {
      leave();
      answered();
      // 499 as nginx has it: the client left before the answer.
      const status = res.writableFinished ? res.statusCode : 499;
      metrics.finished(
        { route: routeOf(req), method: req.method ?? '', status },
        (performance.now() - began) / 1000,
      );
    });

    const foreign = gate(req, hop.proxied);
    if (foreign) {
      // Whatever stands there is a stranger's, and may be a bearer in the wrong header.
      const sent =
        foreign === 'scheme' ? undefined : redactText(req.headers[foreign]?.slice(0, 128) ?? '').text;
      warn(
        { header: foreign, sent, address: hop.address, hint: IF_OURS[foreign] },
        'refused a foreign host or origin',
      );
      return refuse(res, 403, 'forbidden', foreign, FOREIGN[foreign]);
    }
    if (answerCors(req, res)) return labelRoute(req, 'preflight');
    const url = req.url ?? '';
    // Absolute-form targets name a host of their own, beside the one that was just checked.
    if (!url.startsWith('/'))
      return refuse(res, 400, 'invalid_argument', 'target', 'The request target must be a path.');
    if (url.length > bounds.url_bytes)
      return refuse(res, 414, 'invalid_argument', 'target', 'The request target is too long.');
    if (req.rawHeaders.length / 2 > bounds.headers)
      return refuse(res, 431, 'invalid_argument', 'headers', 'Too many header lines.');

    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    // Probes must still answer when the calls are at their limit.
    if (place.over && !PROBES.has(path)) {
      if (place.over === 'address')
        return refuse(res, 429, 'concurrency_limited', 'busy_address', ERRORS.concurrency_limited.message);
      return refuse(
        res,
        503,
        'dependency_unavailable',
        'busy',
        'Too many requests are under way; retry shortly.',
      );
    }
    if (!mcp_paths.has(path)) return deps.rest(req, res);
    labelRoute(req, MCP_PATH);
    deps.mcp(req, res).catch((error: unknown) => {
      log.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'mcp request failed');
      refuse(res, 500, 'internal', 'failed', ERRORS.internal.message);
    });
  };
}

const PROBES = new Set(['/healthz', '/readyz']);
