import { matchUri, validator } from '@adaos/contracts';
import { Type, type Static } from 'typebox';
import { failureOf } from '../failure.js';
import { MCP_PATH } from '../paths.js';
import { invalid, recordRefusal } from '../refusing.js';
import { labelRoute } from '../route-label.js';
import { streaming } from '../streaming.js';
import { errorOf, identityAnswer, sendAnswer } from './answer.js';
import type { Exchange, McpEdge } from './exchange.js';
import { governed } from './governed.js';
import { INVALID_PARAMS, paramsOf, type RpcId } from './json-rpc.js';
import { argumentsOf, viewOf } from './resources.js';
import { openStream, type Filter } from './stream.js';
import { watchKey, type Listener } from './streams.js';

const Flag = Type.Optional(Type.Boolean());
/** What a client may ask to hear; members of extensions we do not serve are left alone. */
const Wanted = Type.Object({
  toolsListChanged: Flag,
  promptsListChanged: Flag,
  resourcesListChanged: Flag,
  resourceSubscriptions: Type.Optional(Type.Array(Type.String({ maxLength: 512 }), { maxItems: 1_000 })),
});
type Wanted = Static<typeof Wanted>;
const checkWanted = validator<Wanted>(Wanted);

/**
 * `subscriptions/listen`: the caller is known, there is room, each resource can be read; then the stream opens with an acknowledgement of
 * what will be told. It is among the listeners before the first read, so that no change between reading and hearing is lost.
 */
export async function listen(edge: McpEdge, exchange: Exchange, id: RpcId): Promise<void> {
  const { caller, res, abort } = exchange;
  const refuse = async (code: number | null, refusal: ReturnType<typeof invalid>): Promise<void> => {
    const { kind, failure } = await recordRefusal(edge.router, caller, refusal);
    if (kind === 'outranked') return sendAnswer(exchange, { kind: 'failure', failure }, id);
    const error = errorOf(failure);
    return sendAnswer(exchange, { kind: 'error', error: code === null ? error : { ...error, code } }, id);
  };

  let wanted: Wanted;
  try {
    wanted = checkWanted(paramsOf(exchange.body)['notifications']);
  } catch {
    const details = { path: '/params/notifications', rule: 'filter' };
    return refuse(INVALID_PARAMS, invalid('params.notifications must be a filter.', details));
  }
  let remove = (): void => undefined;
  try {
    const { tool_ids, digest, identity } = await edge.router.listed(caller, 'subscription.listen');
    if (!edge.streams.hasRoom(identity)) {
      const message = 'Too many streams are open; close one, or retry later.';
      return await refuse(null, { code: 'concurrency_limited', message });
    }
    const listener: Listener = {
      stream: openStream(res, id, edge.bounds.stream_backlog_bytes),
      bearer_digest: caller.credentials.bearer_digest ?? '',
      identity,
      filter: {},
      listed: digest,
      vouched_at: edge.clock.now(),
      watched: new Map(),
    };
    remove = edge.streams.add(listener);
    res.once('close', remove);
    const uris = await readable(edge, exchange, listener, tool_ids, wanted.resourceSubscriptions ?? []);
    if (abort.signal.aborted || listener.stream.closed) return remove();
    listener.filter = {
      ...(wanted.toolsListChanged && { toolsListChanged: true }),
      ...(wanted.promptsListChanged && { promptsListChanged: true }),
      ...(wanted.resourcesListChanged && { resourcesListChanged: true }),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    // From here on it is no request under way but a connection that is open.
    streaming(exchange.req);
    labelRoute(exchange.req, `${MCP_PATH} (stream)`);
    listener.stream.acknowledge(listener.filter);
    if (Object.keys(listener.filter).length === 0) listener.stream.end();
  } catch (error) {
    remove();
    if (abort.signal.aborted) return;
    sendAnswer(exchange, identityAnswer(failureOf(error, caller), id), id);
  }
}

/**
 * The URIs that will be told of: of a kind that announces its changes, and read once by the caller under its own name. A URI it can't read
 * is left out without a word, so that a stream is no way to ask what exists.
 */
async function readable(
  edge: McpEdge,
  exchange: Exchange,
  { watched }: Listener,
  tool_ids: readonly string[],
  uris: readonly string[],
): Promise<NonNullable<Filter['resourceSubscriptions']>> {
  const honored: string[] = [];
  for (const uri of new Set(uris)) {
    if (honored.length >= edge.bounds.watched) break;
    const named = matchUri(uri);
    if (!named?.kind.changes || !tool_ids.includes(named.kind.tool_id)) continue;
    const { kind, id } = named;
    const key = watchKey(kind, id ?? '');
    if (watched.has(key)) continue;
    const entry = { uri, version: undefined as unknown };
    watched.set(key, entry);
    const read = await governed(edge, exchange, kind.tool_id, argumentsOf(named));
    const shown = read.ok ? viewOf(kind, read.result) : undefined;
    if (shown === undefined) {
      watched.delete(key);
      continue;
    }
    const { version } = named.kind.changes;
    if (version !== undefined) entry.version ??= (shown as Record<string, unknown>)[version];
    honored.push(uri);
  }
  return honored;
}
