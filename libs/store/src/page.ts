import { OpError } from '@adaos/contracts';
import { storableText, unpackCursor } from './text.js';

/** One page of a listing. `next_cursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/**
 * Limit (clamped to 1 … 200) and position of a page request. `parts` are the kinds of the cursor's values.
 * @throws OpError invalid_argument for a cursor that no listing of this kind gave out.
 */
export function pageOf(
  wanted: { limit?: number; cursor?: string | null },
  parts: readonly ('instant' | 'text' | 'number')[],
): { limit: number; after: (string | number)[] | null } {
  const limit = Math.min(Math.max(Math.trunc(wanted.limit ?? DEFAULT_LIMIT) || 1, 1), MAX_LIMIT);
  if (wanted.cursor === undefined || wanted.cursor === null) return { limit, after: null };
  const after = unpackCursor(wanted.cursor, parts.length);
  const fits = after?.every((value, index) =>
    parts[index] === 'number'
      ? typeof value === 'number'
      : parts[index] === 'text'
        ? typeof value === 'string'
        : isInstant(value),
  );
  if (!after || !fits) throw new OpError('invalid_argument', { field: 'cursor' });
  return { limit, after: after.map((value) => (typeof value === 'string' ? storableText(value) : value)) };
}

/** RFC 3339 as the store gives it out; anything looser would reach the server's own date parser. */
export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(value) &&
  !Number.isNaN(Date.parse(value));
