import { sha256 } from '@adaos/contracts';
import type { IncomingMessage } from 'node:http';
import { timesSent } from './raw-headers.js';

/** What a request says of who it is. The bearer itself ends here: nothing else in this app ever holds it. */
export interface Credentials {
  /** SHA-256, hex. Null when there is no bearer, or nothing that could be one. */
  readonly bearer_digest: string | null;
  /** Something was sent, good or bad; decides whether a challenge names an error (RFC 6750, section 3). */
  readonly sent: boolean;
}

// b64token of RFC 6750 after a scheme in any case; no real bearer comes near 4 kB.
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]{1,4096}={0,2})$/i;
const IN_QUERY = new Set(['access_token', 'token', 'bearer', 'authorization']);

const NONE: Credentials = { bearer_digest: null, sent: false };
const UNUSABLE: Credentials = { bearer_digest: null, sent: true };

/**
 * Reads the Authorization header (field case F32). Two of them, a token in the query string (it would stand in every access log on
 * the way) and garbage are all the same: credentials that name nobody.
 */
export function credentialsOf(req: IncomingMessage): Credentials {
  const url = req.url ?? '';
  const query = url.indexOf('?');
  if (query >= 0 && namesToken(url.slice(query + 1))) return UNUSABLE;
  const header = req.headers.authorization;
  if (header === undefined) return NONE;
  if (timesSent(req, 'authorization') > 1) return UNUSABLE;
  const bearer = BEARER.exec(header)?.[1];
  return bearer === undefined ? UNUSABLE : { bearer_digest: sha256(bearer), sent: true };
}

function namesToken(query: string): boolean {
  for (const name of new URLSearchParams(query).keys()) if (IN_QUERY.has(name.toLowerCase())) return true;
  return false;
}
