import type { Envelope } from '@adaos/contracts';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { rowOf, type Failure } from './failure.js';

/** No answer of this app is to be kept by a cache or guessed into another type. */
export const COMMON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** Answers JSON; nothing when the client is gone or was answered already. */
export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  sendText(res, status, 'application/json', JSON.stringify(body), headers);
}

export function sendText(
  res: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  if (res.headersSent || res.destroyed) return;
  const length = Buffer.byteLength(text);
  res.writeHead(status, { 'content-type': type, 'content-length': length, ...COMMON_HEADERS, ...headers });
  res.end(text);
}

/** Answers without a body: 202 to a notification. */
export function sendEmpty(res: ServerResponse, status: number): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { 'content-length': 0, ...COMMON_HEADERS });
  res.end();
}

/** The error body of contracts.md. */
export const errorBody = ({ code, message, details, request_id, trace_id, audit_event_id }: Failure) => ({
  ok: false as const,
  error: { code, message, ...(details && { details }) },
  request_id,
  trace_id,
  ...(audit_event_id && { audit_event_id }),
});

/** Seconds a client should wait: what the limiter said, or one for a fault that passes by itself. */
export function retryHeaders(failure: Pick<Failure, 'code' | 'details'>): OutgoingHttpHeaders {
  if (!rowOf(failure.code).retryable) return {};
  const wait_ms = failure.details?.['retry_after_ms'];
  return {
    'retry-after': typeof wait_ms === 'number' ? String(Math.max(1, Math.ceil(wait_ms / 1000))) : '1',
  };
}

const LIMITED = new Set(['rate_limited', 'concurrency_limited']);
/** A refusal by a limit inside a 200 tells the time to wait in the header too, where programs look for it. */
export function adviseRetry(res: ServerResponse, { error }: Pick<Envelope, 'error'>): void {
  if (error === undefined || !LIMITED.has(error.code) || res.headersSent) return;
  for (const [name, value] of Object.entries(retryHeaders(error))) res.setHeader(name, String(value));
}
