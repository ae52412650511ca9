import express, { type ErrorRequestHandler, type Express } from 'express';
import type { Log } from '@adaos/runtime';
import { errorBody, sendJson } from '../answer.js';
import { freshIds } from '../failure.js';
import { ROUTES } from '../handlers.js';
import { labelRoute } from '../route-label.js';
import { CALL_PATH, callHandler } from './call.js';
import { CLIENT_CONFIG_PATH, clientConfigHandler } from './client-config.js';
import { serveConsole } from './console.js';
import { serveMetadata } from '../oauth/metadata.js';
import { serveSignIn, type SignInEdge } from '../oauth/sign-in.js';
import type { RestEdge } from './edge.js';
import { openApi } from './openapi.js';
import { resourceHandler } from './resource.js';
import { unserved } from './unserved.js';

export interface AppDeps extends RestEdge {
  readonly sign_in: SignInEdge;
  readonly isReady: () => Promise<boolean>;
  readonly console_dir: string | undefined;
  readonly log: Log;
}

/** Everything but the MCP endpoint. Every path has a JSON answer: an HTML page where a client probes for metadata starts a login (F07). */
export function restApp(deps: AppDeps): Express {
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  // Queries are read by resource.ts under the tool's schema.
  app.set('query parser', false);

  for (const route of ROUTES) app[route.method](route.path, resourceHandler(deps, route));
  app.post(CALL_PATH, callHandler(deps));
  app.get(CLIENT_CONFIG_PATH, clientConfigHandler(deps));
  operations(app, deps);
  serveMetadata(app, deps.callers.oauth);
  if (deps.console_dir !== undefined) {
    serveSignIn(app, deps.sign_in);
    serveConsole(app, deps.console_dir);
  }

  unserved(app, deps);
  const failure = (code: 'invalid_argument' | 'internal', message: string) =>
    errorBody({ code, message, ...freshIds(deps.callers.ids) });
  const onError: ErrorRequestHandler = (error: { status?: unknown }, _req, res, _next) => {
    // A path that does not decode is the client's; all else is ours, and stays inside.
    if (error.status === 400)
      return sendJson(res, 400, failure('invalid_argument', 'The path is not valid.'));
    deps.log.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'rest request failed');
    sendJson(res, 500, failure('internal', 'Internal error.'));
  };
  app.use(onError);
  return app;
}

function operations(app: Express, { isReady }: AppDeps): void {
  app.get('/healthz', (req, res) => {
    labelRoute(req, '/healthz');
    sendJson(res, 200, { ok: true });
  });
  app.get('/readyz', async (req, res) => {
    labelRoute(req, '/readyz');
    const ready = await isReady();
    sendJson(res, ready ? 200 : 503, { ok: ready });
  });
  app.get('/openapi.json', (req, res) => {
    labelRoute(req, '/openapi.json');
    sendJson(res, 200, openApi());
  });
}
