/** Where a value ends, for each way a value can be written after its name. All functions only move forward, so callers stay linear. */

/** Values that say there is no secret, or what is wrong with one; hiding them would hide the reason of a failure. */
const EMPTY = /^(?:null|none|nil|undefined|true|false|yes|no)$/i;
const STATUS =
  /^(?:invalid|missing|required|expired|incorrect|mismatch|mismatched|not|is|was|must|unexpected|expected|empty|ok|unknown|wrong|rejected|accepted|changed|updated|unauthorized|unset)\b/i;
/** The place of a key file is no secret. */
const KEY_FILE =
  /^(?:\/|\.{1,2}\/|~\/|[A-Za-z]:\\)[\w./\\-]+\.(?:pem|key|crt|cer|json|p12|pfx|der|pub|txt|ya?ml|env|jks)$/;

/** Whether a value found under a secret name stays readable. `told` is set where a colon may start a sentence. */
export const isKept = (value: string, told: boolean): boolean =>
  value === '' ||
  EMPTY.test(value) ||
  KEY_FILE.test(value) ||
  value.startsWith('[redacted:') ||
  /^\*+$/.test(value) ||
  (told && STATUS.test(value));

/** An opening quote at `at`: the quote, how many backslashes escape it (JSON inside JSON), and where its content starts. */
export interface Opening {
  readonly quote: string;
  readonly slashes: number;
  readonly from: number;
}

/** Reads an opening quote, also behind a string prefix as in `b'…'`. */
export function openingAt(text: string, at: number): Opening | null {
  let i = at;
  while (text[i] === '\\' && i - at < 16) i++;
  const slashes = i - at;
  if (!slashes && /[bruf]/i.test(text[i] ?? '') && /['"]/.test(text[i + 1] ?? '')) i++;
  const quote = text[i];
  if (quote !== '"' && quote !== "'" && quote !== '`') return null;
  return { quote, slashes, from: i + 1 };
}

/**
 * Offset of the closing quote (or of the backslashes before it), or of the line end when there is none. A quote escaped `n` times
 * closes one opened with `n` backslashes; at depth n each deeper backslash doubles, hence the step.
 */
export function closingOf(text: string, { quote, slashes, from }: Opening): number {
  const step = 2 * (slashes + 1);
  let run = 0;
  for (let i = from; i < text.length; i++) {
    const c = text[i];
    if (c === '\n') return i;
    if (c === '\\') run += 1;
    else {
      if (c === quote && run >= slashes && (run - slashes) % step === 0) return i - slashes;
      run = 0;
    }
  }
  return text.length;
}

const BLANK = /(?:\s|\\+[nrt])*/y;
/** Behind white space, real or written out as in JSON inside JSON. */
export function skipBlank(text: string, at: number): number {
  BLANK.lastIndex = at;
  return at + BLANK.exec(text)![0].length;
}

const SPACE = /\s/;
const afterQuote = (c: string | undefined) => c === undefined || /[\s,}\]:;)>&|\\"'`]/.test(c);
const afterCloser = (c: string | undefined) => c === undefined || /[\s,;)}\]"'`]/.test(c);
const NEXT_PAIR = /[,;&](?:\s|$|["']|[\w.-]{1,64}[=:])/y;

/** End of a bare value: white space, a quote that closes what surrounds it, or the next pair. In a query string, `&` or `#` as well. */
export function bareEnd(text: string, at: number, in_query: boolean): number {
  let i = at;
  for (; i < text.length; i++) {
    const c = text[i]!;
    if (SPACE.test(c)) break;
    if ((c === '"' || c === "'" || c === '`') && afterQuote(text[i + 1])) {
      while (i > at && text[i - 1] === '\\') i--;
      break;
    }
    if (in_query && (c === '&' || c === '#')) break;
    if (c === ',' || c === ';' || c === '&') {
      NEXT_PAIR.lastIndex = i;
      if (NEXT_PAIR.test(text)) break;
    }
    if ((c === ')' || c === '}' || c === ']' || c === '<') && (c === '<' || afterCloser(text[i + 1]))) break;
  }
  return i;
}

/** End of the line, or of the quoted text the line stands in: real or written-out line breaks and `quote` end it. */
export function restEnd(text: string, at: number, quote: string | null): number {
  let i = at;
  for (; i < text.length; i++) {
    const c = text[i]!;
    if (c === '\n' || c === '\r') break;
    if (c === '\\' && /[nr]/.test(text[i + 1] ?? '')) break;
    const closes = quote
      ? c === quote
      : (c === '"' || c === "'") && /^(?:$|[\s,}\]:)\\])/.test(text[i + 1] ?? '');
    if (closes) {
      while (i > at && text[i - 1] === '\\') i--;
      break;
    }
  }
  return i;
}
