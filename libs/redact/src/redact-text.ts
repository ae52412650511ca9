import type { Redaction } from '@adaos/contracts';
import { applyMasks, joinMasks, Tally } from './mask.js';
import { RULES, type Rule } from './rules.js';
import { visible } from './visible.js';

/**
 * Masks secrets in a text and says which rule found how many; never what. Terminal control sequences are removed, since a colour code
 * inside a token would hide it. Linear in the text; masking a second time changes nothing.
 */
export function redactText(
  text: string,
  rules: readonly Rule[] = RULES,
): { text: string; redactions: Redaction[] } {
  const tally = new Tally();
  const masked = maskText(text, rules, tally);
  return { text: masked, redactions: tally.list() };
}

/** As `redactText`, counting into a tally that several texts share. */
export function maskText(text: string, rules: readonly Rule[], tally: Tally): string {
  const seen = visible(text);
  const found = rules
    .filter(({ hints }) => hints.some((hint) => seen.plain.includes(hint)))
    .flatMap(({ find }) => find(seen.plain));
  return found.length ? applyMasks(seen.shown, seen.moved(joinMasks(found)), tally) : seen.shown;
}
