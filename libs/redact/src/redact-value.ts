import type { Redaction } from '@adaos/contracts';
import { marker, MARKED, Tally } from './mask.js';
import { maskText } from './redact-text.js';
import { RULES, type Rule } from './rules.js';
import { isCounterName, secretKind, type SecretKind } from './secret-names.js';
import { maskString, RULE_OF } from './secret-string.js';

/** Levels of nesting that are looked into; what lies deeper is masked whole. */
const MAX_DEPTH = 128;
const TOO_DEEP = 'too_deep';

/**
 * Masks secrets in a JSON value: under a name that says secret, every string and number; elsewhere, what `redactText` finds in
 * strings. Keys, arrays, booleans, null and other numbers stay. Returns a copy; anything JSON can't hold becomes null.
 */
export function redactValue(
  value: unknown,
  rules: readonly Rule[] = RULES,
): { value: unknown; redactions: Redaction[] } {
  const tally = new Tally();
  return { value: maskValue(value, rules, tally), redactions: tally.list() };
}

/** As `redactValue`, counting into a shared tally. */
export function maskValue(value: unknown, rules: readonly Rule[], tally: Tally): unknown {
  const text = (found: string) => maskText(found, rules, tally);
  const hide = (rule: string) => {
    tally.add(rule);
    return marker(rule);
  };

  /** Strings and numbers under a secret name; an Authorization scheme stays readable. */
  function secret(found: string | number, kind: SecretKind, counter: boolean): unknown {
    if (typeof found === 'number') return counter ? found : hide(RULE_OF[kind]);
    if (MARKED.test(found)) return found;
    const mask = maskString(found, 0, found.length, kind, counter)[0];
    // What stays of the value is still a text: a path, a scheme, a reason.
    return mask ? found.slice(0, mask.start) + hide(mask.rule) : text(found);
  }

  function walk(found: unknown, kind: SecretKind | null, counter: boolean, depth: number): unknown {
    if (typeof found === 'string') return kind ? secret(found, kind, counter) : text(found);
    if (typeof found === 'number') return kind ? secret(found, kind, counter) : found;
    if (typeof found === 'boolean') return found;
    if (typeof found !== 'object' || found === null) return null;
    if (depth >= MAX_DEPTH) return hide(TOO_DEEP);
    if (Array.isArray(found)) return found.map((item) => walk(item, kind, counter, depth + 1));
    const named = kind ?? namedByField(found as Record<string, unknown>);
    return Object.fromEntries(
      Object.entries(found).map(([key, item]) => {
        const own = kind ?? secretKind(key) ?? (key === 'value' ? named : null);
        return [key, walk(item, own, kind ? counter : isCounterName(key), depth + 1)];
      }),
    );
  }

  return walk(value, null, false, 0);
}

/** `{name: "Authorization", value: "…"}`, as header and parameter lists are written. */
function namedByField(item: Record<string, unknown>): SecretKind | null {
  const name = item['name'] ?? item['key'];
  return typeof name === 'string' && Object.hasOwn(item, 'value') ? secretKind(name) : null;
}
