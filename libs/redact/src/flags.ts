import type { Find, Mask } from './mask.js';
import { bareEnd, closingOf, isKept, openingAt } from './pair-values.js';
import { isCounterName, secretKind } from './secret-names.js';
import { isNumber } from './secret-string.js';

const RULE = 'key_value';
/** `--token x`, and `"--token", "x"` as argument lists are logged. */
const FLAG = /(?<![\w-])--?([A-Za-z][\w-]{1,60})(?:[ \t]+|["'][ \t]*,[ \t]*(?=["']))(?=[^\s-])/g;
const ELEMENT = /<([A-Za-z][\w.:-]{0,63})>([^<\n]{1,512})<\//g;

/** Secrets given as command line flags. */
export const findFlags: Find = (text) => {
  const masks: Mask[] = [];
  for (const { 0: found, 1: name, index } of text.matchAll(FLAG)) {
    if (!secretKind(name!)) continue;
    const at = index + found.length;
    const opening = openingAt(text, at);
    const start = opening?.from ?? at;
    const end = opening ? closingOf(text, opening) : bareEnd(text, at, false);
    const value = text.slice(start, Math.min(end, start + 256));
    if (isKept(value, true) || (isCounterName(name!) && isNumber(value))) continue;
    masks.push({ start, end, rule: RULE });
  }
  return masks;
};

/** Secrets as XML elements: settings files and SOAP bodies in logs. */
export const findXmlElements: Find = (text) => {
  const masks: Mask[] = [];
  for (const { 0: found, 1: name, 2: value, index } of text.matchAll(ELEMENT)) {
    if (!secretKind(name!) || isKept(value!, false) || isNumber(value!)) continue;
    const start = index + found.length - 2 - value!.length;
    masks.push({ start, end: start + value!.length, rule: RULE });
  }
  return masks;
};
