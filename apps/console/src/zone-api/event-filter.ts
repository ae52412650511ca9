/** What the events page can be narrowed by; the names are those of its URL. */
export interface EventFilter {
  readonly status?: string;
  readonly type?: string;
  readonly tool?: string;
  readonly target?: string;
  readonly lease?: string;
  readonly trace?: string;
}

/** Name in the URL → argument of `operations.list_recent_events`. */
const ARGUMENTS = {
  status: 'status',
  type: 'event_type',
  tool: 'tool_id',
  target: 'target_id',
  lease: 'lease_id',
  trace: 'trace_id',
} as const satisfies Record<keyof EventFilter, string>;

export const FILTER_NAMES = Object.keys(ARGUMENTS) as (keyof EventFilter)[];

/** The filter a URL asks for; what it does not know is ignored. */
export function filterOf(query: URLSearchParams): EventFilter {
  return Object.fromEntries(
    FILTER_NAMES.flatMap((name) => {
      const value = query.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/** The query of one page of the record. */
export function auditQuery(filter: EventFilter, limit: number, cursor: string | null): string {
  const search = new URLSearchParams({ limit: String(limit) });
  for (const name of FILTER_NAMES) {
    const value = filter[name];
    if (value) search.set(ARGUMENTS[name], value);
  }
  if (cursor !== null) search.set('cursor', cursor);
  return search.toString();
}
