import type { Mask } from './mask.js';

/** Terminal control sequences: CSI, OSC up to its end on the same line, two-byte escapes. Each starts at ESC or C1, so one pass is linear. */
const ESCAPES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]+[0-~]|\x1b[0-Z\\^_`a-~]|[\x1b\x80-\x9f]/g;
const HAS_ESCAPE = /[\x1b\x80-\x9f]/;
/** Characters that take no room on a screen: soft hyphen, joiners, direction marks, variation selectors, byte order mark, tags. */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]|\udb40[\udc00-\udc7f]/g;

/** A text as its reader sees it, and the way back to where each part stands. */
export interface Visible {
  /** Without terminal controls, with invisible characters: what is given out. */
  readonly shown: string;
  /** Without both: what rules look at. A colour code or a zero-width space inside a token must not hide it (field case F12). */
  readonly plain: string;
  /** Masks found in `plain`, moved to `shown`. `masks` are ordered and apart. */
  moved(masks: readonly Mask[]): Mask[];
}

export function visible(text: string): Visible {
  const shown = HAS_ESCAPE.test(text) ? text.replace(ESCAPES, '') : text;
  const cuts: { at: number; length: number }[] = [];
  let plain = '';
  let from = 0;
  for (const { 0: found, index } of shown.matchAll(INVISIBLE)) {
    plain += shown.slice(from, index);
    cuts.push({ at: plain.length, length: found.length });
    from = index + found.length;
  }
  if (!cuts.length) return { shown, plain: shown, moved: (masks) => [...masks] };
  plain += shown.slice(from);
  return { shown, plain, moved: (masks) => move(masks, cuts) };
}

function move(masks: readonly Mask[], cuts: readonly { at: number; length: number }[]): Mask[] {
  let next = 0;
  let shift = 0;
  const skip = (position: number, inclusive: boolean) => {
    for (
      let cut = cuts[next];
      cut && (cut.at < position || (inclusive && cut.at === position));
      cut = cuts[next]
    ) {
      shift += cut.length;
      next += 1;
    }
    return position + shift;
  };
  return masks.map((mask) => {
    const start = skip(mask.start, true);
    return { ...mask, start, end: skip(mask.end, false) };
  });
}
