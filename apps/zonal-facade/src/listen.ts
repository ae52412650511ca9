import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Bounds } from './bounds.js';
import { startError } from './start-error.js';

export interface Listening {
  readonly server: Server;
  readonly port: number;
  /** Stops accepting, waits for answers under way at most `drain_ms`, then cuts what is left. */
  stop(drain_ms: number): Promise<void>;
}

/** Opens the port with every bound of node's HTTP parser set. Throws FacadeStartError. */
export async function listen(
  { host, port, bounds }: { host: string; port: number; bounds: Bounds },
  serve: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Listening> {
  const server = createServer(
    {
      maxHeaderSize: bounds.header_bytes,
      headersTimeout: bounds.headers_timeout_ms,
      requestTimeout: bounds.request_timeout_ms,
      keepAliveTimeout: bounds.keep_alive_ms,
      connectionsCheckingInterval: 1_000,
      // Its 400 has no JSON body; the origin gate refuses a missing Host itself.
      requireHostHeader: false,
    },
    serve,
  );
  server.maxConnections = bounds.connections;
  // Node would drop the lines over its count, and a second Host or Authorization could be among them; the edge counts itself.
  server.maxHeadersCount = 0;
  server.on('clientError', refuseUnparsed);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(startError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port, stop: (drain_ms) => stop(server, drain_ms) };
}

const STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What node could not parse as HTTP: nothing to route, nothing to record, one JSON answer and the line is cut. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const body = JSON.stringify({
    ok: false,
    error: { code: 'invalid_argument', message: 'The request is not valid HTTP.' },
  });
  const head = `HTTP/1.1 ${STATUS[error.code ?? ''] ?? '400 Bad Request'}\r\nContent-Type: application/json\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
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
