const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ASCII = /^[\x20-\x7e]*$/;
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

const widthOfOne = (grapheme: string): number => (/^\p{M}/u.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1);

/** Columns a printable text takes on a terminal. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOfOne(segment);
  return width;
}

/** Where a text loses what does not fit: its end, or its start, for ids whose end tells them apart. */
export type Cut = 'end' | 'start';

/** The text within `width` columns; what was cut shows as `…`. */
export function clip(text: string, width: number, cut: Cut = 'end'): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  const parts = [...graphemes.segment(text)].map(({ segment }) => segment);
  if (cut === 'start') parts.reverse();
  const kept: string[] = [];
  let room = width - 1;
  for (const part of parts) {
    room -= widthOfOne(part);
    if (room < 0) break;
    kept.push(part);
  }
  return cut === 'start' ? `…${kept.reverse().join('')}` : `${kept.join('')}…`;
}
