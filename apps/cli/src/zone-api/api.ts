import type { Connection } from '../connection.js';
import { away, Failure, refused, type FailureFacts } from '../failure.js';
import { VERSION } from '../version.js';
import { exchange, type Exchange } from './exchange.js';
import { queryText, type Query } from './path.js';

const ROOT = '/v1/root/mcp';

/** What every answer of the zone carries next to its payload. */
export interface Answered {
  readonly ok: boolean;
  readonly request_id?: string;
  readonly trace_id?: string;
  readonly audit_event_id?: string | null;
}

export interface Api {
  readonly connection: Connection;
  get<T>(path: string, query?: Query): Promise<T & Answered>;
  post<T>(path: string, body: object, options?: { timeout_ms?: number }): Promise<T & Answered>;
  /** GET without the token, outside the API: health and readiness. */
  probe(path: '/healthz' | '/readyz'): Promise<Exchange>;
}

export interface ApiDeps {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  /** Milliseconds for a request that names none. */
  readonly timeout_ms: number;
}

/** The zone's REST API. Every method throws Failure: refusals with the zone's own code, all else as `away`. */
export function createApi({ connection, signal, timeout_ms }: ApiDeps): Api {
  const agent = { accept: 'application/json', 'user-agent': `adaosctl/${VERSION}` };
  const headers = (): Record<string, string> => {
    if (connection.token === null) {
      throw new Failure('unauthenticated', {
        code: 'unauthenticated',
        message: `There is no token for ${connection.url.origin}.`,
        next: 'Set ADAOS_TOKEN, or give --token-file.',
      });
    }
    return { ...agent, authorization: `Bearer ${connection.token}` };
  };
  return {
    connection,
    get: async <T>(path: string, query: Query = {}) =>
      payload<T & Answered>(
        await exchange(connection, ROOT + path + queryText(query), {
          method: 'GET',
          headers: headers(),
          timeout_ms,
          signal,
        }),
        connection,
      ),
    post: async <T>(path: string, body: object, options: { timeout_ms?: number } = {}) =>
      payload<T & Answered>(
        await exchange(connection, ROOT + path, {
          method: 'POST',
          headers: { ...headers(), 'content-type': 'application/json' },
          body: JSON.stringify(body),
          timeout_ms: options.timeout_ms ?? timeout_ms,
          signal,
        }),
        connection,
      ),
    probe: (path) => exchange(connection, path, { method: 'GET', headers: agent, timeout_ms, signal }),
  };
}

function payload<T>({ status, text }: Exchange, connection: Connection): T {
  const body = objectIn(text);
  if (body && status < 300) return body as T;
  const error = body?.['error'];
  if (typeof error === 'object' && error !== null)
    throw refused(factsOf(error as Record<string, unknown>, body!));
  if (status === 401) throw refused({ code: 'unauthenticated', message: 'The token was refused.' });
  const { origin } = connection.url;
  if (status >= 500)
    throw away(
      'http_' + status,
      `${origin} answered ${status}: the zone or the way to it is down.`,
      'Try again shortly.',
    );
  throw away(
    'odd_answer',
    `${origin} answers, but not like a zone (HTTP ${status}).`,
    `Check ${connection.told_by}.`,
  );
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The error body of the contract as facts. Also used for an envelope that says `ok: false`. */
export function factsOf(error: Record<string, unknown>, ids: Record<string, unknown>): FailureFacts {
  const { details } = error;
  return {
    code: textOf(error['code']) ?? 'internal',
    message: textOf(error['message']) ?? 'The zone gave no reason.',
    ...(typeof details === 'object' && details !== null && { details: details as Record<string, unknown> }),
    request_id: textOf(ids['request_id']),
    trace_id: textOf(ids['trace_id']),
    audit_event_id: textOf(ids['audit_event_id']),
  };
}
