import type { Answer } from './answer.js';
import { callTool } from './call-tool.js';
import { complete } from './completion.js';
import type { Era, Exchange, McpEdge } from './exchange.js';
import { answering, cacheHints } from './governed.js';
import type { RpcId } from './json-rpc.js';
import { getPrompt, listPrompts } from './prompts.js';
import { refuseParams } from './refuse-params.js';
import { isFirstPage, listResources, listTemplates, readResource, subscribeLegacy } from './resources.js';
import { onTask } from './tasks.js';

/** A method this app answers itself, on the fast path and inside the SDK alike: the two can only differ in the wrapping. */
export type Method = (edge: McpEdge, exchange: Exchange, request: MethodRequest) => Promise<Answer>;
export interface MethodRequest {
  readonly id: RpcId;
  readonly params: Record<string, unknown>;
  readonly era: Era;
}

const listTools: Method = (edge, exchange, { id, params, era }) =>
  answering(exchange, id, async () => {
    if (!isFirstPage(params['cursor'])) {
      return refuseParams(edge, exchange, 'The list has one page; there is no such cursor.', {
        path: '/params/cursor',
        rule: 'cursor',
      });
    }
    const { tools } = await edge.router.listTools(exchange.caller);
    return { kind: 'result', result: { tools, ...cacheHints(era) } };
  });

export interface MethodRow {
  readonly run: Method;
  /** The parameter that the `Mcp-Name` header repeats in the modern era. */
  readonly named?: 'name' | 'uri' | 'taskId';
  /** Not a method of the other era. */
  readonly only?: Era;
}

/** The methods this app answers itself. All others are the SDK's. */
export const METHODS: ReadonlyMap<unknown, MethodRow> = new Map<string, MethodRow>([
  ['tools/call', { run: callTool, named: 'name' }],
  ['tools/list', { run: listTools }],
  ['resources/list', { run: listResources }],
  ['resources/templates/list', { run: listTemplates }],
  ['resources/read', { run: readResource, named: 'uri' }],
  ['resources/subscribe', { run: subscribeLegacy, only: 'legacy' }],
  ['resources/unsubscribe', { run: subscribeLegacy, only: 'legacy' }],
  ['prompts/list', { run: listPrompts }],
  ['prompts/get', { run: getPrompt, named: 'name' }],
  ['completion/complete', { run: complete }],
  ['tasks/get', { run: onTask('get'), named: 'taskId', only: 'modern' }],
  ['tasks/update', { run: onTask('update'), named: 'taskId', only: 'modern' }],
  ['tasks/cancel', { run: onTask('cancel'), named: 'taskId', only: 'modern' }],
]);
