// Direction marks and joiners make a text read as another one; controls would vanish. React keeps markup from being run, not this.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const KEPT = new Set(['\n', '\t']);

/** A text from outside as a page may show it: characters that hide or reorder others as escapes, `\u{202e}`. */
export const printable = (text: string): string =>
  text.replace(HIDDEN, (character) =>
    KEPT.has(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

/** JSON with the same care, indented for reading. */
export const printableJson = (value: unknown): string => printable(JSON.stringify(value, null, 2) ?? 'null');
