import {
  request,
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
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
    // Each facade makes its own key where none is handed in; the file is read by main.ts alone.
    config: loadConfig(Config, { PORT: '0', REQUEST_STATE_KEY_FILE: 'unread' }),
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

/** Milliseconds an exchange may take: an answer that does not end is a fault of its own. */
const KNOCK_MS = 20_000;

/** One HTTP exchange with full control of path and headers, which fetch does not give. */
export function knock(url: string, sent: Sent): Promise<Answer> {
  return new Promise((done, failed) => {
    const asked = begin(url, sent, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.once('error', failed);
      res.once('end', () =>
        done({ status: res.statusCode ?? 0, headers: res.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    asked.setTimeout(KNOCK_MS, () => asked.destroy(new Error(`${sent.method} ${sent.path} did not end`)));
    asked.once('error', failed);
  });
}

/** An answer that goes on: the data of its events so far. */
export async function openStream(url: string, sent: Sent) {
  let text = '';
  const asked = begin(url, sent, (res) => res.on('data', (chunk: Buffer) => (text += chunk.toString())));
  asked.on('error', () => undefined);
  return {
    frames: () => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!),
    close: () => void asked.destroy(),
  };
}

function begin(
  url: string,
  { method, path, bearer, headers = {}, body, agent }: Sent,
  onAnswer: (res: IncomingMessage) => void,
): ClientRequest {
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
  return request({ hostname, port, path, method, headers: all, agent: agent ?? false }, onAnswer).end(text);
}

const MODERN = '2026-07-28';
export type Era = 'legacy' | 'modern';

/** Of a client that takes tasks. */
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** An MCP request as a client of that era sends it. */
export function mcpRequest(
  era: Era,
  method: string,
  params: Record<string, unknown> = {},
  id: number | string = 1,
  capabilities: object = {},
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
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
  };
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
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
