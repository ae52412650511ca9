import { parse } from 'secure-json-parse';
import { OpError } from './errors.js';

/** Nesting a request body may have. */
export const MAX_DEPTH = 64;

// A byte order mark is kept and refused below: by default the decoder and the parser would each swallow one in silence.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BOM = 0xfeff;
const LONE = /\p{Surrogate}/u;
const HALF = 'A text holds half of a surrogate pair.';

/**
 * The one JSON parse at the edge. Refuses what two parsers could read differently or what could reach a prototype: invalid UTF-8,
 * a byte order mark (RFC 8259, section 8.1), half of a surrogate pair, duplicate keys, `__proto__` and `constructor.prototype`, nesting
 * beyond 64, integers beyond 2^53. Throws OpError(invalid_argument).
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const bad = (rule: string, message: string) => new OpError('invalid_argument', { path: '', rule }, message);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw bad('utf-8', 'The body is not valid UTF-8.');
  }
  if (text.charCodeAt(0) === BOM) throw bad('json', 'The body begins with a byte order mark.');
  const shape = scan(text);
  if (shape.depth > MAX_DEPTH) throw bad('depth', `The body nests deeper than ${MAX_DEPTH} levels.`);
  let value: unknown;
  try {
    value = parse(text, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    const forbidden = String((error as Error).message).includes('forbidden prototype');
    throw bad(
      forbidden ? 'prototype' : 'json',
      forbidden ? 'A key of the body is reserved.' : 'The body is not valid JSON.',
    );
  }
  // A member lost to a later one of the same name shows as more colons in the text than keys in the value.
  if (countMembers(value, bad) !== shape.members) throw bad('duplicate_key', 'The body names a key twice.');
  return value;
}

/** Members (colons outside strings) and nesting depth of a JSON text, in one pass. */
function scan(text: string): { members: number; depth: number } {
  let members = 0;
  let depth = 0;
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++;
    } else if (c === 0x3a) members++;
    else if (c === 0x7b || c === 0x5b) depth = Math.max(depth, ++open);
    else if (c === 0x7d || c === 0x5d) open--;
  }
  return { members, depth };
}

function countMembers(value: unknown, bad: (rule: string, message: string) => OpError): number {
  if (
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    (Number.isInteger(value) || !Number.isFinite(value))
  ) {
    throw bad('integer', 'A number beyond 2^53 would be rounded; send it as a string.');
  }
  // "\ud800" is legal JSON and no text: databases and other parsers refuse it or put something else in its place.
  if (typeof value === 'string' && LONE.test(value)) throw bad('unicode', HALF);
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countMembers(item, bad), 0);
  const keys = Object.keys(value);
  if (keys.some((key) => LONE.test(key))) throw bad('unicode', HALF);
  return keys.reduce(
    (sum, key) => sum + countMembers((value as Record<string, unknown>)[key], bad),
    keys.length,
  );
}
