import type { Express, Request, Response } from 'express';
import { errorBody, sendJson } from '../answer.js';
import { freshIds } from '../failure.js';
import { ROUTES } from '../handlers.js';
import { labelRoute } from '../route-label.js';
import { CALL_PATH } from './call.js';
import { CLIENT_CONFIG_PATH } from './client-config.js';
import { openAsk, refuseAsk, type RestEdge } from './edge.js';

/** Paths that are looked up by browsers, probes and scanners: served to anybody, so that a miss there is no act on the zone. */
const OPEN = ['/healthz', '/readyz', '/openapi.json', '/console', '/console/*view'];
/** Whatever lies below is an act on the zone: who asks comes first, and what is not there leaves an event. */
const GOVERNED = /^\/(v1|mcp)\//;
/** Some clients look for metadata behind the endpoint's path too; a 401 there would be a login prompt of its own (F07). */
const WELL_KNOWN = '/.well-known/';

/**
 * The last word on a path: 405 with what it takes instead, or 404, always JSON. Below `/v1/` and `/mcp/` the bearer is judged before
 * either is said, and the refusal is recorded; the limit on refusals bounds how many events that makes.
 */
export function unserved(app: Express, edge: RestEdge): void {
  for (const [path, methods] of methodsByPath()) {
    app.all(path, (req, res, next) => {
      // Under /console: a file that is not there.
      if (methods.includes(req.method)) return next();
      labelRoute(req, path);
      return refuse(edge, req, res, { http: 405, allow: methods.join(', ') });
    });
  }
  app.use((req, res) => refuse(edge, req, res, { http: 404 }));
}

type Missing = { readonly http: 404 } | { readonly http: 405; readonly allow: string };

async function refuse(edge: RestEdge, req: Request, res: Response, missing: Missing): Promise<void> {
  const known = missing.http === 405;
  const refusal = known
    ? { code: 'invalid_argument' as const, message: 'Method not allowed.' }
    : { code: 'tool_not_found' as const, message: 'No such path.' };
  const headers = known ? { allow: missing.allow } : {};
  if (!GOVERNED.test(req.path) || req.path.includes(WELL_KNOWN)) {
    sendJson(res, missing.http, errorBody({ ...refusal, ...freshIds(edge.callers.ids) }), headers);
    return;
  }
  const ask = await openAsk(edge, req, res);
  const details = {
    rule: known ? 'method' : 'path',
    method: req.method.slice(0, 16),
    path: req.path.slice(0, 128),
  };
  if (ask) await refuseAsk(edge, ask, missing.http, { ...refusal, details }, headers);
}

function methodsByPath(): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>(OPEN.map((path) => [path, ['GET', 'HEAD']]));
  const all = [...ROUTES, { path: CALL_PATH, method: 'post' }, { path: CLIENT_CONFIG_PATH, method: 'get' }];
  for (const { path, method } of all) {
    // Express answers a HEAD by the GET of the same path.
    const names = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
    methods.set(path, [...(methods.get(path) ?? []), ...names]);
  }
  return methods;
}
