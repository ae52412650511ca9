/**
 * JSON text of a body; `undefined` travels as the empty text. Well-formed JSON text has no lone surrogates, so text and its UTF-8
 * bytes carry the same value: the in-process bus passes the text and counts the bytes.
 */
export function encodeBody(body: unknown): string {
  return JSON.stringify(body) ?? '';
}

/** Throws SyntaxError when the text isn't JSON. */
export function decodeBody(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 bytes as text, or null: a replaced byte would be another value than the one sent. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Whether the text is at most `limit` bytes in UTF-8, counted only when its length leaves doubt. */
export function fits(text: string, limit: number): boolean {
  if (text.length > limit) return false;
  return text.length * 3 <= limit || Buffer.byteLength(text) <= limit;
}
