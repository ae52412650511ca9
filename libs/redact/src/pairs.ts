import { maskJsonValue } from './json-values.js';
import type { Find, Mask } from './mask.js';
import { bareEnd, closingOf, isKept, openingAt, restEnd, skipBlank } from './pair-values.js';
import { isCounterName, secretKind, type SecretKind } from './secret-names.js';
import { isNumber, maskString, parametersEnd, RULE_OF, schemeLength } from './secret-string.js';

const SEPARATOR = /=>|:=|[=:]/g;
const NAME_CHAR = /[A-Za-z0-9_.$-]/;
const NAME_LENGTH = 64;
/** A JSON value without quotes; the backslash is that of a written-out line break. */
const LITERAL = /(?:-?\d[\d.eE+-]*|true|false|null|True|False|None|nil|undefined)(?=[\s,}\]\\]|$)/y;

interface Name {
  readonly name: string;
  readonly start: number;
  /** The quotes around the name with their backslashes, as in JSON; empty for a bare name. */
  readonly quote: string;
}

/**
 * Values whose name says secret: headers, JSON members, KEY=value, YAML, query parameters, in any text, also JSON inside JSON. The
 * separator is looked for, not the name: names are read backwards within a bound, so a long run of letters costs nothing.
 */
export const findPairs: Find = (text) => {
  const masks: Mask[] = [];
  const separator = new RegExp(SEPARATOR);
  for (let found = separator.exec(text); found; found = separator.exec(text)) {
    const at = found.index;
    const sep = found[0];
    if (isOperator(text, at, sep)) continue;
    const named = nameBefore(text, at);
    const kind = named && secretKind(named.name);
    // In `https://x-access-token:…@host` the name is a user; the URL rule knows where its password ends.
    if (!kind || (sep === ':' && text[named.start - 1] === '/')) continue;
    const value = maskValue(text, at + sep.length, sep, named, kind);
    for (const mask of value.masks) masks.push(mask);
    separator.lastIndex = Math.max(separator.lastIndex, value.end);
  }
  return masks;
};

/** `==`, `!=`, `::` and `://` separate no name from a value. */
function isOperator(text: string, at: number, sep: string): boolean {
  const next = text[at + sep.length];
  if (sep === '=') return next === '=' || /[=!<>~]/.test(text[at - 1] ?? '');
  if (sep === ':') return next === ':' || text[at - 1] === ':' || (next === '/' && text[at + 2] === '/');
  return false;
}

function nameBefore(text: string, at: number): Name | null {
  let end = at;
  for (let spaces = 0; spaces < 2 && (text[end - 1] === ' ' || text[end - 1] === '\t'); spaces++) end--;
  if (text[end - 1] === ']') end--;
  let quote = '';
  if (/["'`]/.test(text[end - 1] ?? '')) {
    let from = end - 1;
    while (text[from - 1] === '\\' && end - from < 16) from--;
    quote = text.slice(from, end);
    end = from;
  }
  let start = end;
  // Quoted names may hold spaces ("API key"); a bare name ends at the first one.
  const belongs = (c: string) => NAME_CHAR.test(c) || (quote !== '' && c === ' ');
  while (start > 0 && end - start < NAME_LENGTH && belongs(text[start - 1]!)) start--;
  if (start === end) return null;
  if (quote === '') {
    // "…\nAPI_KEY=x" inside a JSON string: the n belongs to the line break.
    if (text[start - 1] === '\\' && /[nrt]/.test(text[start]!)) start++;
    if (/^keys?$/i.test(text.slice(start, end))) start = wordBefore(text, start);
  }
  return { name: text.slice(start, end), start, quote };
}

/** "API key: x" in prose: what kind of key it is stands one word earlier. */
function wordBefore(text: string, start: number): number {
  if (text[start - 1] !== ' ') return start;
  let i = start - 1;
  while (i > 0 && start - i < 16 && /[A-Za-z]/.test(text[i - 1]!)) i--;
  return i;
}

interface Value {
  readonly masks: Mask[];
  readonly end: number;
}

function maskValue(text: string, from: number, sep: string, named: Name, kind: SecretKind): Value {
  const quoted = named.quote !== '';
  let at = from;
  if (quoted) at = skipBlank(text, at);
  else while (text[at] === ' ' || text[at] === '\t') at++;
  const none = { masks: [], end: at };
  const counter = isCounterName(named.name);
  if (quoted && (text[at] === '{' || text[at] === '['))
    return maskJsonValue(text, at, named.quote, kind, counter);
  if (quoted) {
    LITERAL.lastIndex = at;
    const literal = LITERAL.exec(text)?.[0];
    if (literal !== undefined) {
      const mask = { start: at, end: at + literal.length, rule: RULE_OF[kind], quote: named.quote };
      return { masks: counter || !/\d/.test(literal) ? [] : [mask], end: mask.end };
    }
  }
  const opening = openingAt(text, at);
  if (opening) {
    const end = closingOf(text, opening);
    return { masks: maskString(text, opening.from, end, kind, counter), end };
  }
  const around = /["'`]/.test(text[named.start - 1] ?? '') ? text[named.start - 1]! : null;
  if (kind === 'cookie') {
    const end = restEnd(text, at, around);
    return { masks: maskString(text, at, end, kind, counter), end };
  }
  if (kind === 'authorization') return authorizationLine(text, at, around);
  const in_query = /[?&]/.test(text[named.start - 1] ?? '');
  const yaml =
    sep === ':' && /(?:^|\n)[ \t]*(?:- )?$/.test(text.slice(Math.max(0, named.start - 40), named.start));
  const first = bareEnd(text, at, in_query);
  if (isKept(text.slice(at, first), sep === ':') || (counter && isNumber(text.slice(at, first))))
    return { ...none, end: first };
  const end = yaml ? restEnd(text, at, around) : first;
  return { masks: [{ start: at, end, rule: RULE_OF[kind] }], end };
}

function authorizationLine(text: string, at: number, around: string | null): Value {
  const start = at + schemeLength(text, at);
  const end =
    start > at ? bareEnd(text, start, false) : Math.max(parametersEnd(text, at), restEnd(text, at, around));
  return { masks: maskString(text, at, end, 'authorization', false), end };
}
