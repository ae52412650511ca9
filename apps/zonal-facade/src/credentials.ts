import { isOwnBearer, MAX_BEARER, sha256 } from '@adaos/contracts';
import type { IncomingMessage } from 'node:http';
import { timesSent } from './raw-headers.js';

/**
 * What a request says of who it is. The bearer itself ends here: beyond this file it goes to session alone, and only one that no build of ours
 * made, to be checked (oauth/door.ts).
 */
export interface Credentials {
  /** SHA-256, hex. Null when there is no bearer, or nothing that could be one. */
  readonly bearer_digest: string | null;
  /** Something was sent, good or bad; decides whether a challenge names an error (RFC 6750, section 3). */
  readonly sent: boolean;
  /** It has the form of a bearer of ours. */
  readonly own: boolean;
}

// b64token of RFC 6750 after a scheme in any case.
const BEARER = new RegExp(`^bearer +([A-Za-z0-9\\-._~+/]{1,${MAX_BEARER}}={0,2})$`, 'i');
const IN_QUERY = new Set(['access_token', 'token', 'bearer', 'authorization']);

const NONE: Credentials = { bearer_digest: null, sent: false, own: false };
const UNUSABLE: Credentials = { bearer_digest: null, sent: true, own: false };

/** Bearers of the console's cookie, on requests that proved to come from the console itself (oauth/console-cookie.ts). */
const BY_COOKIE = new WeakMap<IncomingMessage, Credentials>();

/** Lets a request without an Authorization header act by the cookie it carries. */
export const actByCookie = (req: IncomingMessage, bearer: string): void =>
  void BY_COOKIE.set(req, { bearer_digest: sha256(bearer), sent: true, own: true });

/**
 * Reads the Authorization header (field case F32). Two of them, a token in the query string (it would stand in every access log on
 * the way) and garbage are all the same: credentials that name nobody.
 */
export function credentialsOf(req: IncomingMessage): Credentials {
  const bearer = bearerOf(req);
  if (bearer === undefined) return BY_COOKIE.get(req) ?? NONE;
  if (bearer === null) return UNUSABLE;
  return { bearer_digest: sha256(bearer), sent: true, own: isOwnBearer(bearer) };
}

/** A bearer that only somebody else can have made; null for ours, for none and for garbage. */
export function foreignBearerOf(req: IncomingMessage): string | null {
  const bearer = bearerOf(req);
  return typeof bearer === 'string' && !isOwnBearer(bearer) ? bearer : null;
}

/** Undefined when nothing was sent, null when it is unusable. */
function bearerOf(req: IncomingMessage): string | null | undefined {
  const url = req.url ?? '';
  const query = url.indexOf('?');
  if (query >= 0 && namesToken(url.slice(query + 1))) return null;
  const header = req.headers.authorization;
  if (header === undefined) return undefined;
  if (timesSent(req, 'authorization') > 1) return null;
  return BEARER.exec(header)?.[1] ?? null;
}

function namesToken(query: string): boolean {
  for (const name of new URLSearchParams(query).keys()) if (IN_QUERY.has(name.toLowerCase())) return true;
  return false;
}
