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
  const { timeout_ms, signal, ...init } = options;
  const began = performance.now();
  const { url } = connection;
  const base = url.pathname.replace(/\/+$/, '');
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
    const response = await fetch(new URL(url.origin + base + path), {
      ...init,
      redirect: 'manual',
      signal: abort.signal,
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw away(
        'redirected',
        `${url.origin} answered with a redirect, which is not followed.`,
        'Give the URL of the zone itself.',
      );
    }
    const text = await readText(response, url);
    return { status: response.status, text, ms: performance.now() - began };
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (signal.aborted) throw interrupted();
    if (!late) throw unreachable(error, connection);
    const message = `${url.origin} did not answer within ${timeout_ms / 1000} s.`;
    throw away('timeout', message, 'Try again, or allow more by --timeout.');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
  }
}

export const interrupted = () => new Failure('interrupted', { code: 'interrupted', message: 'Interrupted.' });

async function readText(response: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw away('odd_answer', `${url.origin} answered more than ${MAX_BYTES} bytes.`, 'Ask for less.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A network failure by its cause. Node hides it under `cause`, and under `errors` when it tried several addresses. */
function unreachable(error: unknown, { url, told_by }: Connection): Failure {
  const where = told_by.endsWith('connection.json')
    ? 'Start the zone (npm start), or give another by --url.'
    : `Check ${told_by} and that the zone is up.`;
  const code = causeCode(error);
  if (code === 'ECONNREFUSED') return away('unreachable', `Nothing listens at ${url.origin}.`, where);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return away('unreachable', `The host ${url.hostname} is not known.`, where);
  if (/CERT|SSL|TLS|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) {
    const next = 'Trust its authority by NODE_EXTRA_CA_CERTS, or check the host name.';
    return away('tls', `The TLS certificate of ${url.origin} is not accepted (${code}).`, next);
  }
  // It may have been lost after the request arrived.
  return away('connection_lost', `The connection to ${url.origin} failed (${code}).`, where);
}

function causeCode(error: unknown): string {
  const cause = (error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } }).cause;
  const code = cause?.code ?? cause?.errors?.[0]?.code;
  return typeof code === 'string' ? code : 'network error';
}
