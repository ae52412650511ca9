import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { Bounds } from './bounds.js';
import type { Connections } from './connections.js';
import { startError } from './start-error.js';
import type { Certificate } from './tls.js';

export interface Listening {
  readonly port: number;
  /** The server under TLS, to give it a new certificate; null when it speaks plain HTTP. */
  readonly tls_server: TlsServer | null;
  /** Stops accepting, waits for answers under way at most `drain_ms`, then cuts what is left. */
  stop(drain_ms: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly bounds: Bounds;
  readonly connections: Connections;
  /** Null for plain HTTP. */
  readonly certificate: Certificate | null;
}

/** Opens the port with every bound of node's HTTP parser set. Throws FacadeStartError. */
export async function listen(
  { host, port, bounds, connections, certificate }: ListenOptions,
  serve: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Listening> {
  const options = {
    maxHeaderSize: bounds.header_bytes,
    headersTimeout: bounds.headers_timeout_ms,
    requestTimeout: bounds.request_timeout_ms,
    keepAliveTimeout: bounds.keep_alive_ms,
    connectionsCheckingInterval: 1_000,
    // Its 400 has no JSON body; the origin gate refuses a missing Host itself.
    requireHostHeader: false,
  };
  const tls_server = certificate
    ? createTlsServer(
        { ...options, ...certificate.context, handshakeTimeout: bounds.headers_timeout_ms },
        serve,
      )
    : null;
  const server: Server = tls_server ?? createServer(options, serve);
  // The table of connections makes room below this; what it just dropped still counts here until its close is through.
  server.maxConnections = 2 * bounds.connections;
  // Node would drop the lines over its count, and a second Host or Authorization could be among them; the edge counts itself.
  server.maxHeadersCount = 0;
  // Also for a client that asks and never reads: an answer that does not move is not waited for.
  server.timeout = bounds.silence_ms;
  server.on('connection', (socket: Socket) => connections.opened(socket));
  server.on('clientError', refuseUnparsed);
  // Anything but 100-continue; node would answer without a body.
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(417, { 'content-type': 'application/json', connection: 'close' });
    res.end(UNPARSED);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(startError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return {
    tls_server,
    port: (server.address() as AddressInfo).port,
    stop: (drain_ms) => stop(server, drain_ms),
  };
}

/** Milliseconds a client that sent no HTTP may take to read so. */
const PARTING_MS = 1_000;

const STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
const UNPARSED = JSON.stringify({
  ok: false,
  error: { code: 'invalid_argument', message: 'The request is not valid HTTP.' },
});

/** What node could not parse as HTTP: nothing to route, nothing to record, one JSON answer and the line is cut. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  // Without a finished handshake there is no line to answer on.
  const no_line =
    error.code === 'ECONNRESET' || error.code?.startsWith('ERR_SSL') || error.code?.startsWith('ERR_TLS');
  if (no_line || !socket.writable) return void socket.destroy();
  const head = `HTTP/1.1 ${STATUS[error.code ?? ''] ?? '400 Bad Request'}\r\nContent-Type: application/json\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(UNPARSED)}\r\nConnection: close\r\n\r\n${UNPARSED}`);
  // Cut at once, what is unread would reset the line before the client reads why; left open, it would be one for nothing.
  socket.setTimeout(PARTING_MS, () => socket.destroy());
}

async function stop(server: Server, drain_ms: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A kept-alive connection turns idle only after its answer, which may be after this moment.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const cut = setTimeout(() => server.closeAllConnections(), drain_ms);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
