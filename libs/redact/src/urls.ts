import type { Find, Mask } from './mask.js';

const RULE = 'url_credentials';
/** `://`, also as written in JSON (`:\/\/`) and in properties files (`\://`). */
const AUTHORITY = /\\?:\\?\/\\?\//g;
/** What can't be inside a URL in running text. */
const RUN = /[^\s"'`<>]*/y;
const SCHEME_LENGTH = 32;
/** Schemes whose first colon opens a password even when digits follow; elsewhere `host:8080` is far more likely. */
const STORES =
  /^(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|nats|mssql|sqlserver|ldaps?|ftps?|sftp|smtps?|clickhouse)$/i;
/** A user without a password that is long and mixed is a token (`https://ghs_…@host`). */
const TOKEN_USER = /^(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_.~%-]{20,}$/;

/**
 * Passwords in connection strings and clone URLs (field case F13). The password reaches to the last `@` before the path, since
 * people don't escape it; scheme, user, host and parameters stay.
 */
export const findUrlCredentials: Find = (text) => {
  const masks: Mask[] = [];
  const starts = [...text.matchAll(AUTHORITY)];
  let run_end = -1;
  starts.forEach((found, n) => {
    const from = found.index + found[0].length;
    if (from > run_end) {
      RUN.lastIndex = from;
      run_end = from + RUN.exec(text)![0].length;
    }
    // The next URL of the same run keeps its own credentials.
    const next = starts[n + 1];
    const end = next && next.index < run_end ? next.index : run_end;
    const mask = credentials(text, schemeBefore(text, found.index), from, end);
    if (mask) masks.push(mask);
  });
  return masks;
};

function schemeBefore(text: string, at: number): string {
  let i = at;
  while (i > 0 && at - i < SCHEME_LENGTH && /[A-Za-z0-9+.-]/.test(text[i - 1]!)) i--;
  return text.slice(i, at);
}

function credentials(text: string, scheme: string, from: number, end: number): Mask | null {
  const run = text.slice(from, end);
  const path = run.search(/[/?#]/);
  const authority = path < 0 ? run : run.slice(0, path);
  const at = authority.lastIndexOf('@');
  const colon = authority.indexOf(':');
  const mask = (a: number, b: number) => {
    // `\@` of a properties file: the backslash belongs to the separator.
    const stop = run[b - 1] === '\\' ? b - 1 : b;
    return stop > a ? { start: from + a, end: from + stop, rule: RULE } : null;
  };
  if (at >= 0) {
    if (colon >= 0 && colon < at) return mask(colon + 1, at);
    return TOKEN_USER.test(authority.slice(0, at)) ? mask(0, at) : null;
  }
  if (colon < 0 || path < 0 || authority.startsWith('[')) return null;
  // No @ before the path: a password with a slash, a question mark or a hash in it, if what follows the colon is no port.
  const late = run.lastIndexOf('@');
  if (late < 0) return null;
  if (!/^\d*$/.test(authority.slice(colon + 1))) return mask(colon + 1, late);
  const query = run.indexOf('?');
  const before_query = query < 0 || late < query;
  return STORES.test(scheme) && before_query ? mask(colon + 1, late) : null;
}
