import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** What a client asked, as one line each: `tools/list 2026-07-28`, `GET 2025-11-25`; a refused one has its status or code behind it. */
export interface Wire {
  /** URL to give a client as its HTTP proxy: it keeps its own configuration, and nothing but the zone can be reached. */
  readonly proxy_url: string;
  /** The zone's MCP endpoint behind this recorder, for clients that know no proxy. */
  readonly mcp_url: string;
  readonly asked: () => string[];
  readonly refused: () => string[];
  /** Hosts a client wanted besides the zone; none was reached. */
  readonly elsewhere: () => string[];
  readonly stop: () => Promise<void>;
}

/** Records what goes to the zone, as a forward proxy and as an endpoint. `also` are further origins that may be reached. */
export async function recordWire(mcp_url: string, also: readonly string[] = []): Promise<Wire> {
  const zone = new URL(mcp_url);
  const asked = new Set<string>();
  const refused = new Set<string>();
  const elsewhere = new Set<string>();

  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', zone.origin);
    if (url.origin !== zone.origin && !also.includes(url.origin)) {
      elsewhere.add(url.host);
      res.writeHead(403).end();
      return;
    }
    const records = url.origin === zone.origin;
    forward(req, res, url, (sent, status, answer) => {
      if (!records) return;
      const { line, fault } = lineOf(req, sent, status, answer);
      asked.add(line);
      if (fault !== null) refused.add(`${line} ${fault}`);
    });
  });
  server.on('connect', (req: IncomingMessage, socket: Duplex) => {
    elsewhere.add(req.url ?? '');
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    proxy_url: `http://127.0.0.1:${port}`,
    mcp_url: `http://127.0.0.1:${port}${zone.pathname}`,
    asked: () => [...asked].sort(),
    refused: () => [...refused].sort(),
    elsewhere: () => [...elsewhere].sort(),
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** Passes one request on with the target's Host and tells both bodies, once. A body is kept for reading only. */
function forward(
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
  tell: (sent: string, status: number, answer: string) => void,
): void {
  let sent = '';
  const upstream = request(
    url,
    { method: req.method, headers: { ...req.headers, host: url.host } },
    (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      // A stream that the client leaves was asked for all the same.
      answer.once('close', () => tell(sent, answer.statusCode ?? 0, text));
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    },
  );
  res.once('close', () => upstream.destroy());
  upstream.once('error', () => res.destroy());
  req.on('data', (chunk: Buffer) => (sent += chunk.toString()));
  req.pipe(upstream);
}

function lineOf(req: IncomingMessage, sent: string, status: number, answer: string) {
  const message = parsed(sent);
  const params = message['params'] as { protocolVersion?: string } | undefined;
  const revision = String(req.headers['mcp-protocol-version'] ?? params?.protocolVersion ?? '-');
  const what = typeof message['method'] === 'string' ? message['method'] : (req.method ?? '');
  const error = parsed(answer)['error'] as { code?: number } | undefined;
  const fault = status >= 400 ? status : typeof error?.code === 'number' ? error.code : null;
  return { line: `${what} ${revision}`, fault };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
