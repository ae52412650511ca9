import { ERRORS, type ErrorCode } from '@adaos/contracts';
import type { Log } from '@adaos/runtime';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { errorBody, sendJson } from './answer.js';
import type { Bounds } from './bounds.js';
import type { CallerDeps } from './caller.js';
import { freshIds } from './failure.js';
import type { EdgeMetrics } from './metrics.js';
import { MCP_PATH } from './paths.js';
import type { OriginGate } from './origin-gate.js';
import { labelRoute, routeOf } from './route-label.js';
import { whenStreaming } from './streaming.js';

export interface EdgeDeps {
  readonly gate: OriginGate;
  readonly bounds: Bounds;
  readonly metrics: EdgeMetrics;
  readonly ids: CallerDeps['ids'];
  readonly log: Log;
  /** Serves the MCP endpoint, and everything else. */
  readonly mcp: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  readonly rest: (req: IncomingMessage, res: ServerResponse) => void;
}

/** Every request, top to bottom: count, gate, limits, route. Nothing it throws gets to the client or takes the process down. */
export function edgeListener(deps: EdgeDeps): (req: IncomingMessage, res: ServerResponse) => void {
  const { gate, bounds, metrics, ids, log } = deps;
  // With a slash too: a redirect between the two would drop the Authorization header (F07).
  const mcp_paths = new Set([MCP_PATH, `${MCP_PATH}/`]);
  let in_flight = 0;

  const refuse = (
    res: ServerResponse,
    status: number,
    code: ErrorCode,
    message: string = ERRORS[code].message,
  ) =>
    sendJson(
      res,
      status,
      errorBody({ code, message, ...freshIds(ids) }),
      status === 503 ? { 'retry-after': '1' } : {},
    );

  return (req, res) => {
    const began = performance.now();
    in_flight++;
    metrics.in_flight.inc();
    let counted = true;
    const leave = () => {
      if (!counted) return;
      counted = false;
      in_flight--;
      metrics.in_flight.dec();
    };
    whenStreaming(req, leave);
    res.once('close', () => {
      leave();
      // 499 as nginx has it: the client left before the answer.
      const status = res.writableFinished ? res.statusCode : 499;
      metrics.finished(
        { route: routeOf(req), method: req.method ?? '', status },
        (performance.now() - began) / 1000,
      );
    });

    const foreign = gate(req);
    if (foreign) {
      log.warn({ header: foreign, address: req.socket.remoteAddress }, 'refused a foreign host or origin');
      return refuse(
        res,
        403,
        'forbidden',
        foreign === 'host' ? 'This host is not served here.' : 'This origin may not call.',
      );
    }
    const url = req.url ?? '';
    // Absolute-form targets name a host of their own, beside the one that was just checked.
    if (!url.startsWith('/'))
      return refuse(res, 400, 'invalid_argument', 'The request target must be a path.');
    if (url.length > bounds.url_bytes)
      return refuse(res, 414, 'invalid_argument', 'The request target is too long.');
    if (req.rawHeaders.length / 2 > bounds.headers)
      return refuse(res, 431, 'invalid_argument', 'Too many header lines.');

    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    // Probes and metrics must still answer when the calls are at their limit.
    if (in_flight > bounds.in_flight && path.startsWith('/v1/'))
      return refuse(res, 503, 'dependency_unavailable', 'Too many requests are under way; retry shortly.');
    if (!mcp_paths.has(path)) return deps.rest(req, res);
    labelRoute(req, MCP_PATH);
    deps.mcp(req, res).catch((error: unknown) => {
      log.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'mcp request failed');
      refuse(res, 500, 'internal');
    });
  };
}
