import { matchUri, RESOURCE_KINDS, uriOf, variableOf, type ResourceKind } from '@adaos/contracts';
import { isAuthFailure } from '../failure.js';
import { errorOf, identityAnswer, type Answer } from './answer.js';
import { answering, cacheHints, governed, isHidden } from './governed.js';
import { INVALID_PARAMS, isObject } from './json-rpc.js';
import type { Method } from './methods.js';
import { refuseParams } from './refuse-params.js';

/**
 * Unknown, another tenant's and not granted: one answer, which holds nothing but what was asked. SEP-2164 gave it the code of a wrong
 * parameter, and the SDK uses it for the older revisions too.
 */
export const notFound = (uri: string): Answer => ({
  kind: 'error',
  error: { code: INVALID_PARAMS, message: 'Resource not found', data: { uri: uri.slice(0, 512) } },
});

/** `resources/list`: kinds in order, each by the tool that lists it. A page ends where a tool's own page does. */
export const listResources: Method = (edge, exchange, { id, params, era }) =>
  answering(exchange, id, async () => {
    const from = readCursor(params['cursor']);
    if (!from)
      return refuseParams(edge, exchange, 'There is no such cursor.', {
        path: '/params/cursor',
        rule: 'cursor',
      });
    const { tool_ids } = await edge.router.listed(exchange.caller, 'resource.list');
    const resources: object[] = [];
    let next: string | undefined;
    for (const [i, kind] of RESOURCE_KINDS.entries()) {
      if (i < from.kind || !tool_ids.includes(kind.tool_id)) continue;
      if (variableOf(kind) === null) resources.push(entryOf(kind, null, kind.title, kind.description));
      const { listing } = kind;
      if (!listing || !tool_ids.includes(listing.tool_id)) continue;
      const inner = i === from.kind ? from.inner : null;
      const listed = await governed(edge, exchange, listing.tool_id, inner === null ? {} : { cursor: inner });
      if (!listed.ok) {
        // Refused by policy: nothing of this kind is his to see.
        if (isHidden(listed.failure) && inner === null) continue;
        return identityAnswer(listed.failure, isAuthFailure(listed.failure) ? null : id);
      }
      for (const entry of asObjects(listed.result[listing.entries])) {
        const text = (member: string) => String(entry[member]);
        const { id: name, title, description } = listing;
        resources.push(entryOf(kind, text(name), text(title), description && text(description)));
      }
      const { next_cursor } = listed.result;
      if (listing.paged && typeof next_cursor === 'string') {
        next = writeCursor({ kind: i, inner: next_cursor });
        break;
      }
    }
    const page = { resources, ...(next !== undefined && { nextCursor: next }) };
    return { kind: 'result', result: { ...page, ...cacheHints(era) } };
  });

/** `resources/templates/list`: the kinds that the caller can read. */
export const listTemplates: Method = (edge, exchange, { id, params, era }) =>
  answering(exchange, id, async () => {
    if (!isFirstPage(params['cursor']))
      return refuseParams(edge, exchange, 'The list has one page; there is no such cursor.', {
        path: '/params/cursor',
        rule: 'cursor',
      });
    const { tool_ids } = await edge.router.listed(exchange.caller, 'resource_template.list');
    const resourceTemplates = RESOURCE_KINDS.filter(
      (kind) => variableOf(kind) !== null && tool_ids.includes(kind.tool_id),
    ).map(({ uri, kind, title, description, mime_type }) => ({
      uriTemplate: uri,
      name: kind,
      title,
      description,
      mimeType: mime_type,
    }));
    return { kind: 'result', result: { resourceTemplates, ...cacheHints(era) } };
  });

/** `resources/read`: a governed call of the tool behind the URI. */
export const readResource: Method = (edge, exchange, { id, params, era }) =>
  answering(exchange, id, async () => {
    const { uri } = params;
    if (typeof uri !== 'string')
      return refuseParams(edge, exchange, 'params.uri must be a string.', {
        path: '/params/uri',
        rule: 'type',
      });
    const named = matchUri(uri);
    if (!named) {
      const refused = await refuseParams(edge, exchange, 'No resource has this URI.', {
        path: '/params/uri',
        rule: 'uri',
      });
      return refused.kind === 'failure' ? refused : notFound(uri);
    }
    const read = await governed(edge, exchange, named.kind.tool_id, argumentsOf(named));
    if (!read.ok) {
      if (isAuthFailure(read.failure)) return { kind: 'failure', failure: read.failure };
      return isHidden(read.failure) ? notFound(uri) : { kind: 'error', error: errorOf(read.failure) };
    }
    const contents = contentsOf(named.kind, uri, read.result);
    return contents ? { kind: 'result', result: { contents, ...cacheHints(era) } } : notFound(uri);
  });

/**
 * `resources/subscribe` and `unsubscribe` of the legacy revisions. Without sessions nothing can be sent later, so the capability is not
 * declared; a client that asks all the same is told whether the resource is there.
 */
export const subscribeLegacy: Method = (edge, exchange, { id, params }) =>
  answering(exchange, id, async () => {
    const { uri } = params;
    const { tool_ids } = await edge.router.listed(exchange.caller, 'resource.subscribe');
    const named = typeof uri === 'string' ? matchUri(uri) : null;
    return named && tool_ids.includes(named.kind.tool_id)
      ? { kind: 'result', result: {} }
      : notFound(String(uri));
  });

/** What a kind's tool is called with for one resource. */
export const argumentsOf = ({ kind, id }: { kind: ResourceKind; id: string | null }) => {
  const variable = variableOf(kind);
  return { ...kind.arguments, ...(variable !== null && { [variable]: id }) };
};

/** The part of a result that a kind shows; undefined when it is not there. */
export function viewOf({ view }: Pick<ResourceKind, 'view'>, result: Record<string, unknown>): unknown {
  const value = result[view.member];
  return view.as === 'first' ? (Array.isArray(value) ? (value[0] as unknown) : undefined) : value;
}

function contentsOf(kind: ResourceKind, uri: string, result: Record<string, unknown>): object[] | null {
  const value = viewOf(kind, result);
  if (value === undefined) return null;
  if (kind.view.as === 'contents') return asObjects(value).map((content) => ({ uri, ...content }));
  return [{ uri, mimeType: kind.mime_type, text: JSON.stringify(value) }];
}

const entryOf = (kind: ResourceKind, id: string | null, title: string, description?: string) => ({
  uri: id === null ? kind.uri : uriOf(kind, id),
  name: id === null ? kind.kind : `${kind.kind}/${id}`,
  title,
  ...(description && { description }),
  mimeType: kind.mime_type,
});

const asObjects = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);

export const isFirstPage = (cursor: unknown) => cursor === undefined || cursor === null || cursor === '';

interface Place {
  readonly kind: number;
  readonly inner: string | null;
}

const writeCursor = ({ kind, inner }: Place) =>
  Buffer.from(JSON.stringify([kind, inner])).toString('base64url');

/** Null for what we did not write; the tool behind it judges the rest. */
function readCursor(cursor: unknown): Place | null {
  if (isFirstPage(cursor)) return { kind: 0, inner: null };
  if (typeof cursor !== 'string' || cursor.length > 400) return null;
  try {
    const [kind, inner] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    return Number.isInteger(kind) && typeof inner === 'string' ? { kind: kind as number, inner } : null;
  } catch {
    return null;
  }
}
