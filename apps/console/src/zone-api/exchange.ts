import type { Envelope } from '@adaos/contracts';
import { credentialOfNow, signOut, type Credential } from '../session.js';
import { Failure, failureIn } from './failure.js';
import { CONSOLE_HEADER } from './sign-in.js';

const ROOT = '/v1/root/mcp';
const TIMEOUT_MS = 35_000;

interface Request {
  readonly body?: object;
  readonly signal?: AbortSignal;
  /** Instead of the one of the session: sign-in tries a token before it is kept. */
  readonly token?: string;
}

/** One request to the zone the page came from. Throws Failure. A 401 ends the session of this tab, wherever it happens. */
async function exchange<T>(method: 'GET' | 'POST', path: string, request: Request = {}): Promise<T> {
  const credential: Credential =
    request.token === undefined ? credentialOfNow() : { kind: 'token', token: request.token };
  if (credential === null) throw new Failure('unauthenticated', 'Sign in first.');
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit;
  let response: Response;
  let text: string;
  try {
    response = await fetch(ROOT + path, {
      method,
      headers: { ...proofOf(credential), 'content-type': 'application/json' },
      ...(request.body && { body: JSON.stringify(request.body) }),
      signal,
      // Either is for this zone only; with a token no cookie is any of its business.
      redirect: 'error',
      credentials: credential.kind === 'token' ? 'omit' : 'same-origin',
      cache: 'no-store',
    });
    text = await response.text();
  } catch (error) {
    if (request.signal?.aborted) throw error;
    const late = limit.aborted ? ' in time' : '';
    throw new Failure('unreachable', `The zone does not answer${late}.`);
  }
  const body = parsed(text);
  const failure = failureIn(response.status, body);
  if (!failure) return body as T;
  if (response.status === 401 && request.token === undefined && credential === credentialOfNow())
    signOut(endedBy(failure, credential));
  throw failure;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const proofOf = (credential: NonNullable<Credential>): Record<string, string> =>
  credential.kind === 'token' ? { authorization: `Bearer ${credential.token}` } : CONSOLE_HEADER;

function endedBy({ code, message }: Failure, { kind }: NonNullable<Credential>): string {
  if (kind === 'cookie') return 'Your session has ended. Sign in again.';
  return code === 'unauthenticated'
    ? 'The zone no longer accepts this token. A zone started with npm start prints a new one at each start.'
    : message;
}

/** Reads a resource below /v1/root/mcp. */
export const read = <T>(path: string, request?: Pick<Request, 'signal' | 'token'>) =>
  exchange<T>('GET', path, request);

/** Acts on a resource below /v1/root/mcp. Never repeated by itself: an answer that got lost may have been a yes. */
export const act = <T>(path: string, body: object) => exchange<T>('POST', path, { body });

/** Calls a tool and answers its result; a refusal by the tool is thrown like any other. */
export async function callTool<T>(tool_id: string, args: object, signal?: AbortSignal): Promise<T> {
  const body = { tool_id, arguments: args };
  const { result } = await exchange<Envelope>('POST', '/call', { body, signal });
  return (result ?? {}) as T;
}
