import type { ServerResponse } from 'node:http';
import { COMMON_HEADERS } from '../answer.js';

/** Bytes that may wait for a client that reads slowly; what would come on top of them is left out. */
const MAX_WAITING_BYTES = 65_536;

/**
 * The answer to one request as an SSE stream. It opens with its first notification: until then the answer has a status and a form of its
 * own, and a request that nothing is said about in between is answered as if there were no streams.
 */
export interface ResponseStream {
  readonly open: boolean;
  /** Sends a notification ahead of the answer. Nothing after the answer, nothing to a client that is gone or does not read. */
  notify(method: string, params: Record<string, unknown>): void;
  /** Sends the answer as the last frame and ends; null ends without one. */
  finish(text: string | null): void;
}

/** The headers of every stream; proxies must neither buffer nor change it. */
export const STREAM_HEADERS = {
  ...COMMON_HEADERS,
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

export const frameOf = (text: string) => `event: message\ndata: ${text}\n\n`;

export function responseStream(res: ServerResponse): ResponseStream {
  let open = false;
  return {
    get open() {
      return open;
    },
    notify(method, params) {
      if (res.destroyed || res.writableEnded || res.writableLength > MAX_WAITING_BYTES) return;
      if (!open) {
        if (res.headersSent) return;
        res.writeHead(200, STREAM_HEADERS);
        open = true;
      }
      res.write(frameOf(JSON.stringify({ jsonrpc: '2.0', method, params })));
    },
    finish(text) {
      if (text === null) res.end();
      else res.end(frameOf(text));
    },
  };
}
