import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connection } from '../zone-under-test.js';

/** What a client asked, as one line each: `tools/list 2026-07-28`, `GET 2025-11-25`; a refused one has its status or code behind it. */
export interface Wire {
  /** URL to give a client as its HTTP proxy: it keeps its own configuration, and nothing but the zone can be reached. */
  readonly proxy_url: string;
  /** The zone's MCP endpoint behind this recorder, for clients that know no proxy. */
  readonly mcp_url: string;
  readonly asked: () => string[];
  readonly refused: () => string[];
  readonly stop: () => Promise<void>;
}

/** Records what goes to any facade of the zone, as a forward proxy and as an endpoint. `also` are further origins that may be reached. */
export async function recordWire(
  { mcp_url, root_url, root_urls = [root_url] }: Connection,
  also: readonly string[] = [],
): Promise<Wire> {
  const zone = new URL(mcp_url);
  const asked = new Set<string>();
  const refused = new Set<string>();

  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', zone.origin);
    const of_zone = root_urls.includes(url.origin);
    if (!of_zone && !also.includes(url.origin)) {
      res.writeHead(403).end();
      return;
    }
    if (!of_zone) return forward(req, res, url);
    let line = '';
    forward(req, res, url, {
      // Noted before it is answered, so that a client which has its answer has its line.
      asked: (body) => asked.add((line = lineOf(req, body))),
      answered(status, body) {
        const fault = faultOf(status, body);
        if (fault !== null) refused.add(`${line} ${fault}`);
      },
    });
  });
  server.on('connect', (_: IncomingMessage, socket: Duplex) => {
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
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

interface Listener {
  readonly asked: (body: string) => void;
  readonly answered: (status: number, body: string) => void;
}

/** Passes one request on with the target's Host; `listener` hears both bodies. */
function forward(req: IncomingMessage, res: ServerResponse, url: URL, listener?: Listener): void {
  const headers = { ...req.headers, host: url.host };
  const upstream = request(url, { method: req.method, headers }, (answer) => {
    let text = '';
    answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
    answer.once('end', () => listener?.answered(answer.statusCode ?? 0, text));
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  res.once('close', () => upstream.destroy());
  upstream.once('error', () => res.destroy());
  let sent = '';
  req.on('data', (chunk: Buffer) => (sent += chunk.toString()));
  req.once('end', () => listener?.asked(sent));
  req.pipe(upstream);
}

function lineOf(req: IncomingMessage, body: string): string {
  const message = parsed(body);
  const params = message['params'] as { protocolVersion?: string } | undefined;
  const revision = String(req.headers['mcp-protocol-version'] ?? params?.protocolVersion ?? '-');
  return `${typeof message['method'] === 'string' ? message['method'] : req.method} ${revision}`;
}

/** The status of a refusal, or the JSON-RPC code of one that came with 200. */
function faultOf(status: number, body: string): number | null {
  if (status >= 400) return status;
  const error = parsed(body)['error'] as { code?: number } | undefined;
  return typeof error?.code === 'number' ? error.code : null;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
