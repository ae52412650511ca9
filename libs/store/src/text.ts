/** A broken half of a surrogate pair, and NUL: PostgreSQL text can hold neither. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const REPLACEMENT = '\ufffd';
/** A btree entry holds 2704 bytes; a character is 4 at most. */
const MAX_INDEXED_CHARS = 512;

/** The text with everything that PostgreSQL refuses replaced by U+FFFD. */
export const storableText = (text: string): string => text.replace(UNSTORABLE, REPLACEMENT);

/** The same, cut to what an index can hold. The record's body keeps the whole. */
export const indexedText = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : storableText(text.slice(0, MAX_INDEXED_CHARS));

/**
 * JSON text that jsonb accepts: JSON.stringify writes NUL and lone surrogates as escapes, which jsonb refuses. Escapes are read
 * one by one, so that an escaped backslash before "u0000" stays what it is.
 */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value).replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g, (escape) =>
    escape.length === 6 ? REPLACEMENT : escape,
  );

/** An opaque page cursor: base64url of JSON. */
export const packCursor = (value: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** Reads a cursor of packCursor; null when it is not one of `length` strings and numbers. */
export function unpackCursor(cursor: string, length: number): (string | number)[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(value) || value.length !== length) return null;
    return value.every((part) => typeof part === 'string' || Number.isSafeInteger(part))
      ? (value as (string | number)[])
      : null;
  } catch {
    return null;
  }
}
