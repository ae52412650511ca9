import type { IncomingMessage } from 'node:http';
import { actByCookie } from '../credentials.js';
import { MCP_PATH } from '../paths.js';
import { headerOf } from '../raw-headers.js';

/** Sent by the console with each of its requests: a page of another origin can’t send it without asking first, and is never told yes. */
const PROOF = 'x-adaos-console';

/** Cookies of the console. Over https their names bind them to this host and to https (RFC 6265bis, section 4.1.3). */
export interface ConsoleCookies {
  readonly session: string;
  readonly sign_in: string;
  readonly secure: boolean;
}
export const consoleCookies = (secure: boolean): ConsoleCookies => ({
  session: secure ? '__Host-adaos_console' : 'adaos_console',
  sign_in: secure ? '__Secure-adaos_sign_in' : 'adaos_sign_in',
  secure,
});

/** The session: no script can read it, no other site can make the browser send it. */
export const sessionCookie = (cookies: ConsoleCookies, bearer: string, max_age_s: number): string =>
  line(cookies, { name: cookies.session, value: bearer, path: '/', same_site: 'Strict', max_age_s });

/** What has to be there when the browser comes back: sent on that one way, which begins at another site. */
export const signInCookie = (cookies: ConsoleCookies, sealed: string, max_age_s: number): string =>
  line(cookies, {
    name: cookies.sign_in,
    value: sealed,
    path: '/console/callback',
    same_site: 'Lax',
    max_age_s,
  });

interface Line {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly same_site: 'Strict' | 'Lax';
  /** 0 takes the cookie away. */
  readonly max_age_s: number;
}
const line = ({ secure }: ConsoleCookies, { name, value, path, same_site, max_age_s }: Line): string =>
  `${name}=${value}; Path=${path}; Max-Age=${max_age_s}; HttpOnly; SameSite=${same_site}${secure ? '; Secure' : ''}`;

/** A cookie by name; null when it is not there, or there twice: another host of the domain may have set the second. */
export function cookieOf(req: IncomingMessage, name: string): string | null {
  const values = (req.headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  const [value, ...more] = values;
  return value === undefined || value === '' || more.length > 0 ? null : value;
}

/** Where a request went, and where browsers are meant to go. */
export interface Place {
  readonly host: string | undefined;
  readonly public_origin: string;
}

/**
 * Does the request come from a page of this very host, through its own code? The browser says so itself where it says where a request is from
 * (Sec-Fetch-Site, Origin); the header proves it where it does not.
 */
export function isFromConsole(req: IncomingMessage, { host, public_origin }: Place): boolean {
  const site = headerOf(req, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = req.headers;
  // The host was compared with ours before. Not every allowed origin: a cookie is for the console alone.
  if (origin !== undefined && origin !== public_origin && !isOriginOf(origin, host)) return false;
  return headerOf(req, PROOF) === '1';
}

const isOriginOf = (origin: string, host: string | undefined): boolean =>
  URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();

/** Lets the console’s own requests act by its cookie, on REST alone: a client of MCP has a bearer. */
export function readConsoleCookie(req: IncomingMessage, cookies: ConsoleCookies, place: Place): void {
  if (!req.url?.startsWith(`${MCP_PATH}/`) || req.headers.cookie === undefined) return;
  const bearer = cookieOf(req, cookies.session);
  if (bearer !== null && isFromConsole(req, place)) actByCookie(req, bearer);
}
