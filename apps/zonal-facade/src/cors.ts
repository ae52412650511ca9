import cors from 'cors';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a page may send beside the simple headers; `*` would not cover Authorization. */
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Accept',
  'If-None-Match',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'MCP-Protocol-Version',
  'traceparent',
  'tracestate',
  'X-AdaOS-Subnet-Id',
  'X-AdaOS-Zone',
];
/** What a page may read of an answer: how to sign in, when to come back, whether it has it already. */
const EXPOSED = ['WWW-Authenticate', 'Retry-After', 'ETag'];
/** Seconds a browser may keep the answer to a preflight. */
const MAX_AGE_S = 600;

const share = cors({
  // Reflected, never `*`: the origin gate has refused all that are not ours before.
  origin: true,
  // Bearers are sent by the page itself; the cookie of the console is for its own pages.
  credentials: false,
  methods: ['GET', 'HEAD', 'POST'],
  allowedHeaders: ALLOWED,
  exposedHeaders: EXPOSED,
  maxAge: MAX_AGE_S,
  preflightContinue: true,
});

/**
 * CORS for the origins that passed the gate. A preflight is answered here, before any bearer is looked at, since browsers send none with
 * it; then true comes back. An OPTIONS that is no preflight goes on like any other method.
 */
export function answerCors(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.headers.origin === undefined) return false;
  const preflight = req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
  share(req, res, () => undefined);
  if (!preflight) return false;
  res.writeHead(204, { 'content-length': 0, 'cache-control': 'no-store' }).end();
  return true;
}
