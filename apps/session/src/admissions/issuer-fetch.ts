import { OpError } from '@adaos/contracts';

/** Milliseconds for one exchange with an issuer, headers and body. */
const TIMEOUT_MS = 3_000;
/** Bytes of the largest answer that is read: a key set or a metadata document is a hundredth of it. */
const MAX_BYTES = 512 * 1024;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** May an issuer be reached there? By https; in clear only where nobody is in between. */
export function isTrustedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

/** The zone can not ask an issuer now: nobody is let in on its word, and a retry may help. */
export const issuerAway = (): OpError => new OpError('dependency_unavailable', { dependency: 'issuer' });

interface FetchInit {
  method?: string;
  // The libraries' own types of a body and of headers differ; fetch takes them all.
  body?: unknown;
  headers?: unknown;
  signal?: AbortSignal;
}

/**
 * The one way to an issuer: bounded in time and bytes, no redirects (a metadata document could lead the zone into its own network), no clear
 * text beyond this machine, also for the endpoints that metadata names. Throws OpError(dependency_unavailable).
 */
export async function issuerFetch(url: string, init: FetchInit): Promise<Response> {
  if (!isTrustedUrl(url)) throw issuerAway();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
  try {
    const response = await fetch(url, { ...(init as RequestInit), redirect: 'manual', signal });
    if (response.status >= 500 || response.status === 429) throw issuerAway();
    const body = await boundedBody(response);
    const { status, headers } = response;
    return new Response(body.length === 0 ? null : body, { status, headers });
  } catch (error) {
    throw error instanceof OpError ? error : issuerAway();
  }
}

async function boundedBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_BYTES) throw issuerAway();
    chunks.push(chunk as Uint8Array);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Was it the issuer's silence that a library wrapped in an error of its own? */
export function isAway(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof OpError && at.code === 'dependency_unavailable') return true;
  return false;
}
