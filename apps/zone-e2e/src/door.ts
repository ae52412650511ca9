import { request, type Agent, type IncomingHttpHeaders } from 'node:http';
import { randomIds, silentLog, loadConfig, type Stop } from '@adaos/runtime';
import { Config, zonalFacade, type FacadeUrls } from '@adaos/zonal-facade/module';
import type { Spine } from './spine.js';

export interface Door {
  /** Root URL of each facade. */
  readonly urls: readonly string[];
  readonly stop: Stop;
}

/** Facades on free ports before a spine: what a client reaches, with the bus and the record in the test's hands. */
export async function openDoor(spine: Spine, { facades = 1 } = {}): Promise<Door> {
  const opened = await Promise.all(Array.from({ length: facades }, () => openOne(spine)));
  return {
    urls: opened.map(({ url }) => url),
    stop: async () => void (await Promise.all(opened.map(({ stop }) => stop()))),
  };
}

async function openOne(spine: Spine): Promise<{ url: string; stop: Stop }> {
  let urls: FacadeUrls | undefined;
  const stop = await zonalFacade.start({
    zone: 'local',
    bus: spine.connect('facade'),
    clock: spine.clock,
    ids: randomIds,
    log: silentLog,
    config: loadConfig(Config, { PORT: '0' }),
    on_listening: (listening) => (urls = listening),
  });
  return { url: urls!.root_url, stop };
}

export interface Sent {
  readonly method: string;
  /** Below the root URL, with its query. */
  readonly path: string;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One HTTP exchange with full control of path and headers, which fetch does not give. */
export function knock(
  url: string,
  { method, path, bearer, headers = {}, body, agent }: Sent,
): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const { hostname, port } = new URL(url);
  const all = {
    accept: 'application/json, text/event-stream',
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(text !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }),
    ...headers,
  };
  return new Promise((done, failed) => {
    const sent = request({ hostname, port, path, method, headers: all, agent: agent ?? false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('error', failed);
      res.once('end', () =>
        done({ status: res.statusCode ?? 0, headers: res.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.once('error', failed);
    sent.end(text);
  });
}

const MODERN = '2026-07-28';
export type Era = 'legacy' | 'modern';

/** An MCP request as a client of that era sends it. */
export function mcpRequest(
  era: Era,
  method: string,
  params: Record<string, unknown> = {},
  id: number | string = 1,
): Pick<Sent, 'method' | 'path' | 'headers' | 'body'> {
  const post = { method: 'POST', path: '/v1/root/mcp' };
  if (era === 'legacy')
    return {
      ...post,
      headers: { 'mcp-protocol-version': '2025-11-25' },
      body: { jsonrpc: '2.0', id, method, params },
    };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
  };
  const name = params['name'] ?? params['uri'];
  return {
    ...post,
    headers: {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: { jsonrpc: '2.0', id, method, params: { _meta, ...params } },
  };
}
