import { failureOf } from '../failure.js';
import { identityAnswer, type Answer } from './answer.js';
import { callTool } from './call-tool.js';
import type { Era, Exchange, McpEdge } from './exchange.js';
import type { RpcId } from './json-rpc.js';
import { refuseParams } from './refuse-params.js';

/** Milliseconds a client may keep a tool list: short, since a revoked or narrowed lease must show. */
const TOOLS_TTL_MS = 5_000;

/** A method this app answers itself, on the fast path and inside the SDK alike: the two can only differ in the wrapping. */
export type Method = (edge: McpEdge, exchange: Exchange, request: MethodRequest) => Promise<Answer>;
export interface MethodRequest {
  readonly id: RpcId;
  readonly params: Record<string, unknown>;
  readonly era: Era;
}

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

/** The hot methods. All others are the SDK's. */
export const METHODS: ReadonlyMap<unknown, Method> = new Map<unknown, Method>([
  ['tools/call', callTool],
  ['tools/list', listTools],
]);
