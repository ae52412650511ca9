import type { ServerResponse } from 'node:http';
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import { COMMON_HEADERS } from '../answer.js';
import { SERVER_INFO } from '../version.js';
import type { RpcId } from './json-rpc.js';

/** What a client asked to hear, cut to what it may. */
export interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** One open `subscriptions/listen`. Messages sent before the acknowledgement wait for it, since it must be the first. */
export interface Stream {
  acknowledge(filter: Filter): void;
  notify(method: string, params?: Record<string, unknown>): void;
  comment(): void;
  /** Ends it with a result, as the protocol wants it. */
  end(): void;
  readonly closed: boolean;
}

/** Opens an SSE answer. A reader that falls behind by more than `backlog_bytes` is cut: what it missed it will list anew. */
export function openStream(res: ServerResponse, id: RpcId, backlog_bytes: number): Stream {
  let waiting: string[] | null = [];
  const write = (text: string): void => {
    if (res.writableEnded || res.destroyed) return;
    res.write(text);
    if (res.writableLength > backlog_bytes) res.destroy();
  };
  const frame = (message: object) =>
    `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
  const notification = (method: string, params: Record<string, unknown> = {}) =>
    frame({ method, params: { ...params, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } } });
  const head = () => {
    if (res.headersSent) return;
    res.writeHead(200, {
      ...COMMON_HEADERS,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      // Or nginx holds notifications back until its buffer is full.
      'x-accel-buffering': 'no',
    });
  };

  return {
    acknowledge(notifications) {
      head();
      write(notification('notifications/subscriptions/acknowledged', { notifications }));
      const held = waiting ?? [];
      waiting = null;
      held.forEach(write);
    },
    notify(method, params) {
      const text = notification(method, params);
      // Bounded by what one opening can take: a few seconds of rare events.
      if (waiting) waiting.push(text);
      else write(text);
    },
    comment: () => waiting ?? write(': keepalive\n\n'),
    end() {
      if (res.writableEnded || res.destroyed) return;
      head();
      const _meta = { [SUBSCRIPTION_ID_META_KEY]: id, [SERVER_INFO_META_KEY]: SERVER_INFO };
      write(frame({ id, result: { resultType: 'complete', _meta } }));
      res.end();
    },
    get closed() {
      return res.writableEnded || res.destroyed;
    },
  };
}
