import type { SubjectId } from './subjects.js';

/** How a kind of resource is listed: a tool, and where in its result the entries and their parts are. */
export interface ResourceListing {
  readonly tool_id: string;
  /** Name of the member that holds the entries, and of the entry's members. */
  readonly entries: string;
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  /** Entries have a page; `next_cursor` of the result names the next one. */
  readonly paged?: true;
}

/**
 * A kind of MCP resource. A read is a governed call of `tool_id`: decided, limited and recorded like any other (ADR 0009). The variable of
 * `uri`, if it has one, is the argument of the same name.
 */
export interface ResourceKind {
  readonly kind: string;
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly mime_type: string;
  readonly tool_id: string;
  /** Arguments beside the variable. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /**
   * The member of the result that is the content: as JSON; `first` of a list, nothing there meaning not found; or `contents`, ready-made
   * content with a type of its own.
   */
  readonly view: { readonly member: string; readonly as?: 'json' | 'first' | 'contents' };
  /** Absent: only the template is listed. A kind without a variable is listed itself. */
  readonly listing?: ResourceListing;
  /** The event that tells of a change, and the member of its body that is the variable; absent: it can't be subscribed to. */
  readonly changes?: { readonly subject: SubjectId; readonly id: string; readonly version?: string };
}

/** Every kind, in published order. One more is one more row. */
export const RESOURCE_KINDS: ResourceKind[] = [
  {
    kind: 'descriptor',
    uri: 'adaos://descriptor/{descriptor_id}',
    title: 'Descriptor',
    description: 'What this zone says of itself: planes, profiles, schemas, clients. Kept by content hash.',
    mime_type: 'application/json',
    tool_id: 'adaos_dev.get_descriptor',
    view: { member: 'descriptor' },
    listing: {
      tool_id: 'adaos_dev.list_descriptors',
      entries: 'descriptors',
      id: 'descriptor_id',
      title: 'title',
      description: 'summary',
    },
    changes: { subject: 'descriptor_published', id: 'descriptor_id', version: 'content_hash' },
  },
  {
    kind: 'contract',
    uri: 'adaos://contract/{tool_id}',
    title: 'Tool contract',
    description: 'The whole contract of one tool, by its id or MCP name.',
    mime_type: 'application/json',
    tool_id: 'adaos_dev.get_contract',
    view: { member: 'contract' },
  },
  {
    kind: 'target',
    uri: 'adaos://target/{target_id}',
    title: 'Managed target',
    description: 'A managed target as decisions see it: environment, status, surface, policy, health.',
    mime_type: 'application/json',
    tool_id: 'operations.get_managed_target',
    view: { member: 'target' },
    listing: {
      tool_id: 'operations.list_managed_targets',
      entries: 'targets',
      id: 'target_id',
      title: 'title',
      paged: true,
    },
    changes: { subject: 'target_changed', id: 'target_id' },
  },
  {
    kind: 'event',
    uri: 'adaos://event/{event_id}',
    title: 'Operational event',
    description: 'One event of the record: who asked, what was decided and why, what came of it.',
    mime_type: 'application/json',
    tool_id: 'operations.list_recent_events',
    view: { member: 'events', as: 'first' },
    changes: { subject: 'record_completed', id: 'event_id' },
  },
  {
    kind: 'run',
    uri: 'adaos://run/{run_id}',
    title: 'Run',
    description:
      'How a call that goes on after its answer stands, for operators; its lease asks by tasks/get.',
    mime_type: 'application/json',
    tool_id: 'operations.get_run',
    view: { member: 'run' },
  },
];

const VARIABLE = /\{(\w+)\}/;

/** The variable in a kind's URI, or null when it names one resource. */
export const variableOf = ({ uri }: Pick<ResourceKind, 'uri'>): string | null =>
  VARIABLE.exec(uri)?.[1] ?? null;

/** The URI of one resource of a kind, as a client that expands the template would write it (RFC 6570). */
export const uriOf = ({ uri }: Pick<ResourceKind, 'uri'>, id: string): string =>
  uri.replace(VARIABLE, () => encodeURIComponent(id));

const MAX_URI = 512;

/**
 * The kind a URI names and the value of its variable; null for every other text. Both spellings of a reserved character (`hub:demo`,
 * `hub%3Ademo`) are one resource, and no value reaches across a path separator.
 */
export function matchUri(
  uri: string,
  kinds: readonly ResourceKind[] = RESOURCE_KINDS,
): { kind: ResourceKind; id: string | null } | null {
  if (uri.length > MAX_URI) return null;
  for (const kind of kinds) {
    const variable = variableOf(kind);
    if (variable === null) {
      if (uri === kind.uri) return { kind, id: null };
      continue;
    }
    const [before, after] = kind.uri.split(`{${variable}}`) as [string, string];
    if (!uri.startsWith(before) || !uri.endsWith(after)) continue;
    const raw = uri.slice(before.length, uri.length - after.length);
    if (!/^[^/?#]+$/.test(raw)) continue;
    try {
      return { kind, id: decodeURIComponent(raw) };
    } catch {
      return null;
    }
  }
  return null;
}
