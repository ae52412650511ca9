import type { Mask } from './mask.js';
import { isKept } from './pair-values.js';
import type { SecretKind } from './secret-names.js';

export const RULE_OF: Readonly<Record<SecretKind, string>> = {
  authorization: 'authorization',
  cookie: 'cookie',
  secret: 'key_value',
};

/** Schemes with one token after them; others (Digest, AWS4-HMAC-SHA256) carry credentials up to the line end. */
const ONE_TOKEN = /(?:basic|bearer|token|negotiate|ntlm|apikey|api-key)[ \t]+/iy;
const PARAMETERS = /(?:digest|hawk|oauth|signature|aws4-hmac-sha256)[ \t]+/iy;

/** Length of a one-token scheme and the spaces behind it, 0 when there is none. */
export function schemeLength(text: string, at: number): number {
  ONE_TOKEN.lastIndex = at;
  return ONE_TOKEN.exec(text)?.[0].length ?? 0;
}

const PARAMETER_LIST = /(?:[\w-]+=(?:\\*"[^"\n]*"|[^\s,"'\\]*)[, \t]*)*/y;

/** End of a scheme with parameters (`Digest username="u", response="…"`): their quotes are not those around the header. */
export function parametersEnd(text: string, at: number): number {
  PARAMETERS.lastIndex = at;
  const scheme = PARAMETERS.exec(text)?.[0];
  if (scheme === undefined) return at;
  PARAMETER_LIST.lastIndex = at + scheme.length;
  return at + scheme.length + PARAMETER_LIST.exec(text)![0].trimEnd().length;
}

export const isNumber = (value: string) => /^\d+(?:\.\d+)?%?$/.test(value);

/** The mask of a value of known extent; an Authorization scheme stays, its credential goes (field case F14). */
export function maskString(
  text: string,
  from: number,
  end: number,
  kind: SecretKind,
  counter: boolean,
): Mask[] {
  let start = from;
  if (kind === 'authorization') {
    PARAMETERS.lastIndex = from;
    start += Math.max(schemeLength(text, from), PARAMETERS.exec(text)?.[0].length ?? 0);
  }
  if (start >= end) return [];
  // A marker that more text was glued to is still a mask of all of it.
  const value = text.slice(start, Math.min(end, start + 256));
  if (isKept(value, false) || (counter && isNumber(value))) return [];
  return [{ start, end, rule: RULE_OF[kind] }];
}
