import { NO_OBLIGATIONS, obligationWords, OBLIGED_MASKS, type Obligations } from '@adaos/contracts';

const LIMITS = ['max_result_bytes', 'rate_per_minute'] as const;
type Limit = (typeof LIMITS)[number];
const MAX_LIMIT = 1_000_000_000;

/**
 * Reads `@obligation("max_result_bytes=4096 rate_per_minute=6 redact=email,ip_address")`. A name that nobody enforces is a fault: an
 * obligation that is passed over would be a promise to the operator that is not kept.
 */
export function parseObligations(text: string): Obligations | { fault: string } {
  const found: { -readonly [K in keyof Obligations]: Obligations[K] } = { ...NO_OBLIGATIONS };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [name = '', value = ''] = word.split(/=(.*)/s);
    if ((LIMITS as readonly string[]).includes(name)) {
      const limit = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : 0;
      if (limit === 0 || limit > MAX_LIMIT)
        return { fault: `${name} needs a whole number from 1 to ${MAX_LIMIT}` };
      found[name as Limit] = limit;
    } else if (name === 'redact') {
      const masks = value.split(',');
      const odd = masks.find((mask) => !(OBLIGED_MASKS as readonly string[]).includes(mask));
      if (odd !== undefined)
        return { fault: `redact knows ${OBLIGED_MASKS.join(', ')}, not ${JSON.stringify(odd)}` };
      found.redact = masks as Obligations['redact'];
    } else {
      return {
        fault: `there is no obligation ${JSON.stringify(name)}; there are ${LIMITS.join(', ')}, redact`,
      };
    }
  }
  return found;
}

/** All of them at once: the lowest of each limit, every mask. */
export function mergeObligations(all: readonly Obligations[]): Obligations {
  if (all.length === 0) return NO_OBLIGATIONS;
  const lowest = (name: Limit) => {
    const set = all.map((one) => one[name]).filter((value) => value !== null);
    return set.length ? Math.min(...set) : null;
  };
  return {
    max_result_bytes: lowest('max_result_bytes'),
    rate_per_minute: lowest('rate_per_minute'),
    redact: OBLIGED_MASKS.filter((mask) => all.some((one) => one.redact.includes(mask))),
  };
}

/** As the annotation writes it; empty when nothing is asked. */
export const obligationsText = (obligations: Obligations): string => obligationWords(obligations).join(' ');

/** Reads what `obligationsText` wrote; what another build wrote and this one does not know counts as none. */
export function readObligations(text: string): Obligations {
  const read = parseObligations(text);
  return 'fault' in read ? NO_OBLIGATIONS : read;
}
