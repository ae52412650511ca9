import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { away, Failure } from '../failure.js';
import type { Connection } from '../connection.js';

/** Bytes an answer may have; the zone's own results stay far below. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface Exchange {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

export interface ExchangeOptions {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeout_ms: number;
  /** The program's interrupt. */
  readonly signal: AbortSignal;
}

/**
 * One HTTP exchange with the zone: within `timeout_ms` to the last byte, at most 16 MiB, no redirect followed, so that the token never
 * leaves for another origin. Throws Failure(away) when there is no answer, Failure(interrupted) on Ctrl-C.
 */
export async function exchange(
  connection: Connection,
  path: string,
  options: ExchangeOptions,
): Promise<Exchange> {
  const { timeout_ms, signal } = options;
  const { origin } = connection.url;
  const began = performance.now();
  const abort = new AbortController();
  const interrupt = () => abort.abort();
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    abort.abort();
  }, timeout_ms);
  try {
    const response = await send(connection.url, path, options, abort.signal);
    const { statusCode: status = 0 } = response;
    if (status >= 300 && status < 400) {
      response.destroy();
      const message = `${origin} answered with a redirect, which is not followed.`;
      throw away('redirected', message, 'Give the URL of the zone itself.');
    }
    return { status, text: await readText(response, origin), ms: performance.now() - began };
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (signal.aborted) throw new Failure('interrupted', { code: 'interrupted', message: 'Interrupted.' });
    if (!late) throw unreachable(error as NodeJS.ErrnoException, connection);
    const message = `${origin} did not answer within ${timeout_ms / 1000} s.`;
    throw away('timeout', message, 'Try again, or allow more by --timeout.');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
  }
}

// Not fetch: that one refuses a list of ports where a zone may well listen.
function send(
  url: URL,
  path: string,
  { method, headers, body }: ExchangeOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const target = new URL(url.origin + url.pathname.replace(/\/+$/, '') + path);
  return new Promise((resolve, reject) =>
    request(target, { method, headers: { ...headers, ...length }, signal }, resolve)
      .once('error', reject)
      .end(body),
  );
}

async function readText(response: IncomingMessage, origin: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw away('odd_answer', `${origin} answered more than ${MAX_BYTES} bytes.`, 'Ask for less.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A network failure by its cause. */
function unreachable({ code = 'network error' }: NodeJS.ErrnoException, connection: Connection): Failure {
  const { url, told_by } = connection;
  const where = told_by.endsWith('connection.json')
    ? 'Start the zone (npm start), or give another by --url.'
    : `Check ${told_by} and that the zone is up.`;
  if (code === 'ECONNREFUSED') return away('unreachable', `Nothing listens at ${url.origin}.`, where);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return away('unreachable', `The host ${url.hostname} is not known.`, where);
  }
  if (/CERT|SSL|TLS|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) {
    const next = 'Trust its authority by NODE_EXTRA_CA_CERTS, or check the host name.';
    return away('tls', `The TLS certificate of ${url.origin} is not accepted (${code}).`, next);
  }
  // It may have been lost after the request arrived.
  return away('connection_lost', `The connection to ${url.origin} failed (${code}).`, where);
}
