import { failureOf } from '../failure.js';
import { invalid, recordRefusal } from '../refusing.js';
import { errorOf, identityAnswer, type Answer } from './answer.js';
import type { Era, Exchange, McpEdge } from './exchange.js';
import { INVALID_PARAMS, metaOf, type RpcId } from './json-rpc.js';
import { followProgress, progressTokenOf } from './progress.js';
import { toolAnswer } from './tool-result.js';

/** Milliseconds a client may keep a tool list: short, since a revoked or narrowed lease must show. */
const TOOLS_TTL_MS = 5_000;

/** A method this app answers itself, on the fast path and inside the SDK alike: the two can only differ in the wrapping. */
export type Method = (edge: McpEdge, exchange: Exchange, request: MethodRequest) => Promise<Answer>;
export interface MethodRequest {
  readonly id: RpcId;
  readonly params: Record<string, unknown>;
  readonly era: Era;
}

/** A dry run asked for beside the arguments counts: a client that put it in the wrong place must not get the real thing. */
const wantsDryRun = (params: Record<string, unknown>): boolean =>
  params['dry_run'] === true ||
  metaOf(params)['dry_run'] === true ||
  metaOf(params)['io.adaos/dry_run'] === true;

const callTool: Method = async (edge, exchange, { id, params, era }) => {
  const { caller, abort } = exchange;
  const { name, arguments: args } = params;
  try {
    if (typeof name !== 'string') {
      return await refuseParams(edge, exchange, 'params.name must be a string.', {
        path: '/params/name',
        rule: 'type',
      });
    }
    // Only the legacy era cancels by notification; a modern client closes the stream.
    const digest = era === 'legacy' ? caller.credentials.bearer_digest : null;
    const done = digest === null ? undefined : edge.in_flight.add(digest, id, abort);
    const token = progressTokenOf(exchange, params);
    const unfollow = token === null ? undefined : followProgress(edge.progress, exchange, token);
    try {
      const ask = {
        name,
        arguments: args === undefined ? {} : args,
        ...(wantsDryRun(params) && { dry_run: true }),
        ...(token !== null && { progress: true }),
      };
      return toolAnswer(await edge.router.call(caller, ask, abort.signal), args);
    } finally {
      unfollow?.();
      done?.();
    }
  } catch (error) {
    if (abort.signal.aborted) return { kind: 'cancelled' };
    return { kind: 'failure', failure: failureOf(error, caller) };
  }
};

const listTools: Method = async (edge, exchange, { id, params, era }) => {
  const { caller } = exchange;
  try {
    const { cursor } = params;
    if (cursor !== undefined && cursor !== null && cursor !== '') {
      return await refuseParams(edge, exchange, 'The list has one page; there is no such cursor.', {
        path: '/params/cursor',
        rule: 'cursor',
      });
    }
    const { tools } = await edge.router.listTools(caller);
    // The list varies by lease, so it is private to it.
    const hints = era === 'modern' ? { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } : {};
    return { kind: 'result', result: { tools, ...hints } };
  } catch (error) {
    return identityAnswer(failureOf(error, caller), id);
  }
};

async function refuseParams(
  edge: McpEdge,
  { caller }: Exchange,
  message: string,
  details: Record<string, unknown>,
): Promise<Answer> {
  const { kind, failure } = await recordRefusal(edge.router, caller, invalid(message, details));
  return kind === 'outranked'
    ? { kind: 'failure', failure }
    : { kind: 'error', error: { ...errorOf(failure), code: INVALID_PARAMS } };
}

/** The hot methods. All others are the SDK's. */
export const METHODS: ReadonlyMap<unknown, Method> = new Map([
  ['tools/call', callTool],
  ['tools/list', listTools],
]);
