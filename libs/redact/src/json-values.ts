import type { Mask } from './mask.js';
import { closingOf, openingAt, skipBlank } from './pair-values.js';
import type { SecretKind } from './secret-names.js';
import { maskString, RULE_OF } from './secret-string.js';

const BARE = /-?\d[\d.eE+-]*|[A-Za-z]+/y;

/**
 * Masks every string and, unless the name counts things, every number inside the JSON array or object at `at`, keeping its keys, so that the text stays JSON with the same
 * keys (field case F14). Text that stops being JSON, say a line cut short, ends the scan; what was read so far is masked.
 */
export function maskJsonValue(
  text: string,
  at: number,
  quote: string,
  kind: SecretKind,
  counter: boolean,
): { masks: Mask[]; end: number } {
  const masks: Mask[] = [];
  let depth = 0;
  let i = at;
  for (i = skipBlank(text, i); i < text.length; i = skipBlank(text, i)) {
    const c = text[i]!;
    if (c === '{' || c === '[') depth += 1;
    else if (c === '}' || c === ']') {
      depth -= 1;
      if (depth === 0) return { masks, end: i + 1 };
    } else if (!/[,:]/.test(c)) {
      const opening = openingAt(text, i);
      if (opening) {
        const end = closingOf(text, opening);
        const after = end + opening.slashes + 1;
        if (text[skipBlank(text, after)] !== ':')
          masks.push(...maskString(text, opening.from, end, kind, counter));
        i = after;
        continue;
      }
      BARE.lastIndex = i;
      const bare = BARE.exec(text)?.[0];
      if (bare === undefined) return { masks, end: i };
      if (/^[-\d]/.test(bare) && !counter)
        masks.push({ start: i, end: i + bare.length, rule: RULE_OF[kind], quote });
      i += bare.length;
      continue;
    }
    i += 1;
  }
  return { masks, end: i };
}
