import type { Redaction } from '@adaos/contracts';

/** A part of a text that must not be shown: offsets in UTF-16 units, end exclusive. */
export interface Mask {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  /** Quotes put around the marker, so that a masked bare JSON number leaves valid JSON behind. */
  readonly quote?: string;
}

/** Finds what one rule knows. Must run in time linear in the text: the text comes from whoever writes the log. */
export type Find = (text: string) => Mask[];

export const marker = (rule: string) => `[redacted:${rule}]`;
/** What is already masked, so that masking twice changes and counts nothing. */
export const MARKED = /^(?:\[redacted:[a-z_]+\])+$/;

/** Counts per rule while a text or a value is masked. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(rule: string, count = 1): void {
    this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + count);
  }

  /** Sorted by rule, so that the same input always gives the same record. */
  list(): Redaction[] {
    return [...this.#counts]
      .map(([rule, count]) => ({ rule, count }))
      .sort((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0));
  }
}

/** Adds up counts of several answers. */
export function mergeRedactions(...lists: readonly (readonly Redaction[])[]): Redaction[] {
  const tally = new Tally();
  for (const { rule, count } of lists.flat()) tally.add(rule, count);
  return tally.list();
}

/** Orders masks and joins those that overlap: a token inside a masked password is one secret, named by the wider rule. */
export function joinMasks(masks: readonly Mask[]): Mask[] {
  const sorted = masks.filter((m) => m.end > m.start).sort((a, b) => a.start - b.start || b.end - a.end);
  const joined: Mask[] = [];
  for (const mask of sorted) {
    const last = joined.at(-1);
    if (!last || mask.start >= last.end) joined.push(mask);
    else if (mask.end > last.end) joined[joined.length - 1] = { ...last, end: mask.end };
  }
  return joined;
}

/** Writes a marker over each mask. `masks` are ordered and apart. */
export function applyMasks(text: string, masks: readonly Mask[], tally: Tally): string {
  let out = '';
  let at = 0;
  for (const { start, end, rule, quote = '' } of masks) {
    out += text.slice(at, start);
    const hidden = text.slice(start, end);
    if (MARKED.test(hidden)) out += hidden;
    else {
      out += quote + marker(rule) + quote;
      tally.add(rule);
    }
    at = end;
  }
  return out + text.slice(at);
}
