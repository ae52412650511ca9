import type { FileHandle } from 'node:fs/promises';
import type { Redaction } from '@adaos/contracts';
import { mergeRedactions, redactText } from '@adaos/redact';
import { fitLines } from './fit-lines.js';
import { refused } from './open-source.js';
import { readWindow, type Window } from './read-window.js';

/** Windows read one after the other until there are enough lines; the last one bounds what one call costs. */
const WINDOWS = [64 * 1024, 512 * 1024, 2 * 1024 * 1024];
/** Characters that must be known before the first line given out: a key block that began there must be seen as one. */
const CONTEXT = 8 * 1024;

export interface TailOptions {
  readonly tail: number;
  readonly contains: string | undefined;
  /** Bytes of JSON the lines may take. */
  readonly max_bytes: number;
  readonly signal: AbortSignal;
}

export interface Tail {
  readonly lines: string[];
  readonly bytes_scanned: number;
  /** No older matching line exists in the file. */
  readonly complete: boolean;
  /** Lines were left out or shortened to fit. */
  readonly truncated: boolean;
  readonly redactions: Redaction[];
}

/**
 * The last `tail` lines of a file, oldest first, secrets masked before anything is filtered or cut: filtering raw lines would let a
 * caller feel for a secret, and cutting first would leave half a token that no rule knows.
 */
export async function readTail(handle: FileHandle, options: TailOptions, retries = 2): Promise<Tail> {
  const { size } = await handle.stat();
  let window: Window | null = null;
  for (const [n, want] of WINDOWS.entries()) {
    window = await readWindow(handle, size, want, window, options.signal);
    if (window === null) throw refused();
    // The file was cut while it was read (copytruncate, field case F20): what counts is what it holds now.
    const shrank = window.start + window.bytes.length < size;
    if (shrank && retries > 0) return readTail(handle, options, retries - 1);
    const whole = window.start === 0;
    const last = whole || window.blocked || n === WINDOWS.length - 1;
    const found = linesOf(window, options.contains);
    if (!last && !isEnough(found, options.tail)) continue;
    const fitted = fitLines(found.lines.slice(-options.tail), options.max_bytes);
    return {
      lines: fitted.lines,
      bytes_scanned: window.bytes.length,
      complete: whole && fitted.lines.length === found.lines.length,
      truncated: fitted.truncated,
      redactions: countMarkers(fitted.lines),
    };
  }
  throw refused();
}

interface Found {
  readonly lines: string[];
  /** Characters of masked text before each of the lines. */
  readonly offsets: number[];
}

function linesOf({ bytes, start }: Window, contains: string | undefined): Found {
  const text = redactText(new TextDecoder('utf-8').decode(bytes)).text;
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  // The first line of a window began earlier; when it is the only one, its end is all that can be shown.
  const partial = start > 0 ? all.shift() : undefined;
  if (partial !== undefined && all.length === 0 && partial !== '') all.push(endOfLine(partial));
  const found: Found = { lines: [], offsets: [] };
  let offset = partial?.length ?? 0;
  for (const line of all) {
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (contains === undefined || bare.includes(contains)) {
      found.lines.push(bare);
      found.offsets.push(offset);
    }
    offset += line.length + 1;
  }
  return found;
}

/** More lines than asked for, so that "older ones exist" is known, and enough text before the first one given out. */
const isEnough = ({ lines, offsets }: Found, tail: number) =>
  lines.length > tail && offsets[lines.length - tail]! >= CONTEXT;

/** What of a line of unknown beginning can be shown: from the first white space on, since half a token matches no rule. */
function endOfLine(partial: string): string {
  const from = partial.slice(0, 4_096).search(/\s/);
  return `[begins earlier] ${partial.slice(from < 0 ? 4_096 : from + 1)}`;
}

/** What was masked in the lines that are given out. */
function countMarkers(lines: readonly string[]): Redaction[] {
  const found = lines.flatMap((line) => [...line.matchAll(/\[redacted:([a-z_]+)\]/g)]);
  return mergeRedactions(found.map((marker) => ({ rule: marker[1]!, count: 1 })));
}
