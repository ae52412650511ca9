import { away } from '../failure.js';
import type { Answered, Api } from './api.js';
import type { Query } from './path.js';

const PAGE = 200;

export interface Listing<T> {
  readonly items: T[];
  /** false: there are more than were asked for. */
  readonly complete: boolean;
}

interface PageOf<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** One page of a listing whose entries stand under `key`. Throws Failure(away) when they do not. */
export async function readPage<T>(api: Api, path: string, key: string, query: Query): Promise<PageOf<T>> {
  const answer: Answered & Record<string, unknown> = await api.get<Record<string, unknown>>(path, query);
  const { [key]: items, next_cursor } = answer;
  if (!Array.isArray(items) || items.some((item) => typeof item !== 'object' || item === null)) {
    throw away('odd_answer', `${api.connection.url.origin} answers, but not like a zone: no ${key}.`);
  }
  return { items: items as T[], next_cursor: typeof next_cursor === 'string' ? next_cursor : null };
}

/** Entries of a listing over its pages, at most `limit`. */
export async function readListing<T>(
  api: Api,
  path: string,
  key: string,
  query: Query,
  limit: number,
): Promise<Listing<T>> {
  const items: T[] = [];
  let cursor: string | null = null;
  while (items.length < limit) {
    const page: PageOf<T> = await readPage<T>(api, path, key, {
      ...query,
      limit: Math.min(PAGE, limit - items.length),
      ...(cursor !== null && { cursor }),
    });
    items.push(...page.items);
    if (page.next_cursor === null) return { items: items.slice(0, limit), complete: items.length <= limit };
    // A page without entries that names another could go on for ever.
    if (page.items.length === 0)
      throw away('odd_answer', 'The zone answered an empty page that is not the last.');
    cursor = page.next_cursor;
  }
  return { items: items.slice(0, limit), complete: false };
}
