const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
// Controls move the cursor or set colours; format characters (direction marks, joiners, tags) make a text read as another one.
const HOSTILE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text from outside as a terminal may show it: every control or invisible character as an escape, on one line. */
export const printable = (text: string): string =>
  text.replace(HOSTILE, (character) => NAMED[character] ?? escaped(character));

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
}

/** JSON with the same characters escaped, so that a document may be read on a terminal too. Still the same value to a parser. */
export const printableJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? 'null').replace(HOSTILE, (character) =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()]
          .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
          .join(''),
  );
