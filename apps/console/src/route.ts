import { useSyncExternalStore } from 'react';

/** The URL holds the state: every page, filter and open panel can be linked to. No secret ever goes in there. */
export const BASE = '/console';

export type Page =
  | 'overview'
  | 'events'
  | 'targets'
  | 'target'
  | 'leases'
  | 'new_lease'
  | 'lease'
  | 'approvals'
  | 'approval'
  | 'nowhere';

export interface Place {
  readonly page: Page;
  /** What a detail page is about. */
  readonly id: string;
  readonly query: URLSearchParams;
}

/** What a path and its query stand for. */
export function placeOf(pathname: string, search: string): Place {
  const query = new URLSearchParams(search);
  const parts = pathname.slice(BASE.length).split('/').filter(Boolean).map(decoded);
  const [noun, id = '', ...rest] = parts;
  const place = (page: Page): Place => ({ page, id, query });
  if (!pathname.startsWith(BASE) || rest.length > 0) return place('nowhere');
  if (noun === undefined) return place('overview');
  if (noun === 'events' && id === '') return place('events');
  if (noun === 'targets') return place(id === '' ? 'targets' : 'target');
  if (noun === 'leases') return place(id === '' ? 'leases' : id === 'new' ? 'new_lease' : 'lease');
  if (noun === 'approvals') return place(id === '' ? 'approvals' : 'approval');
  return place('nowhere');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export type Query = Readonly<Record<string, string | undefined>>;

/** A path of the console with what is set of a query. */
export function href(segments: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  // A colon is legal in a path and `hub:demo` reads better than `hub%3Ademo`.
  const path = segments.map((segment) => encodeURIComponent(segment).replaceAll('%3A', ':')).join('/');
  const text = search.toString();
  return `${BASE}/${path}${text && `?${text}`}`;
}

const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Goes to a place without loading the page anew. `replace`: the place before is not worth going back to. */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

const current = () => location.pathname + location.search;

/** Where the browser is now, as one string. */
export const useLocation = (): string => useSyncExternalStore(subscribe, current);
