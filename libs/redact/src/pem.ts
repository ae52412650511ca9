import type { Find, Mask } from './mask.js';

const RULE = 'private_key';
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Characters a block may span; the END of another block further on must not swallow what lies between. */
const MAX_BLOCK = 32 * 1024;
/** Body on the same line as BEGIN: line breaks written out, or turned into spaces. Each alternative starts differently, so it is linear. */
const SAME_LINE = /(?:[A-Za-z0-9+/=]|\\+[rn]|[ \t](?=[A-Za-z0-9+/]{32}))*/y;
const HEADER = /^(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): /;

/** Private keys, whole or in parts: line numbers before the body, CRLF, no END line, a tail that starts inside (field case F11). */
export const findPrivateKeys: Find = (text) => {
  const masks: Mask[] = [];
  const begins = [...text.matchAll(BEGIN)];
  const ends = [...text.matchAll(END)];
  let e = 0;
  let done = 0;
  const take = (end: RegExpMatchArray & { index: number }) => {
    masks.push(headless(text, end, done));
    done = end.index + end[0].length;
  };
  begins.forEach((begin, n) => {
    const body = begin.index + begin[0].length;
    const limit = Math.min(begins[n + 1]?.index ?? text.length, body + MAX_BLOCK);
    for (; e < ends.length && ends[e]!.index < body; e++) take(ends[e]!);
    const end = ends[e];
    if (end && end.index < limit) {
      e += 1;
      done = end.index + end[0].length;
    } else done = bodyEnd(text, body, limit);
    masks.push({ start: begin.index, end: done, rule: RULE });
  });
  for (; e < ends.length; e++) take(ends[e]!);
  return masks;
};

/** What of a line could be key material: its last token, behind line numbers, times or a logger's name. */
export const keyPart = (line: string) =>
  /[A-Za-z0-9+/]{1,80}={0,2}$/.exec(line.slice(-84).trimEnd())?.[0] ?? '';
const isFull = (line: string) => keyPart(line).length >= 40;
/** The last line of a body is shorter, and alone on its line but for a number. */
export const isLast = (line: string) =>
  /^\s*(?:\d{1,6}\s*[:|]?\s*)?[A-Za-z0-9+/]{1,80}={0,2}\s*$/.test(line.slice(0, 120));

/** End of a body that has no END line: the first line that doesn't look like one. */
function bodyEnd(text: string, from: number, limit: number): number {
  SAME_LINE.lastIndex = from;
  let end = from + SAME_LINE.exec(text)![0].length;
  if (text[end] === '\r') end += 1;
  if (text[end] !== '\n') return Math.min(end, limit);
  for (let at = end + 1; at < limit;) {
    const stop = lineEnd(text, at);
    const line = text.slice(at, stop);
    const full = isFull(line);
    if (!full && !isLast(line) && !HEADER.test(line) && line.trim() !== '') break;
    if (line.trim() !== '') end = stop - carriage(line);
    if (!full && isLast(line)) break;
    at = stop + 1;
  }
  return end;
}

/** A block whose BEGIN was cut off: back from its END over all that looks like a body, never past `floor`, so that a pass stays linear. */
function headless(text: string, end: RegExpMatchArray & { index: number }, floor: number): Mask {
  let start = end.index;
  let line_start = lineStart(text, start, floor);
  // On one line, with written-out line breaks, the body stands right before the END.
  while (start > line_start && /[A-Za-z0-9+/=\\]/.test(text[start - 1]!)) start--;
  for (let last = true; line_start > floor; last = false) {
    const previous = lineStart(text, line_start - 1, floor);
    const line = text.slice(previous, line_start - 1);
    if (!isFull(line) && !(last && isLast(line))) break;
    start = previous;
    line_start = previous;
  }
  return { start, end: end.index + end[0].length, rule: RULE };
}

const lineStart = (text: string, at: number, floor: number) =>
  floor + text.slice(floor, at).lastIndexOf('\n') + 1;

/** 1 when a line keeps the CR of its CRLF, which is no part of what is masked. */
export const carriage = (line: string) => (line.endsWith('\r') ? 1 : 0);

export const lineEnd = (text: string, at: number) => {
  const found = text.indexOf('\n', at);
  return found < 0 ? text.length : found;
};
