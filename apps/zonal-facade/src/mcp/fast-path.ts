import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { SERVER_INFO } from '../version.js';
import { headerOf } from '../raw-headers.js';
import { sendAnswer, type Answer } from './answer.js';
import { eraClassifier } from './era.js';
import type { Exchange, McpEdge } from './exchange.js';
import { isObject, isRpcId, metaOf } from './json-rpc.js';
import { METHODS, type Method, type MethodRequest } from './methods.js';

interface FastRoute {
  readonly run: Method;
  readonly request: MethodRequest;
}

/**
 * Can this request be answered without the SDK? Only when nothing about it is odd: it has the members of a request and no other, the
 * SDK's classifier sorts it into an era, every header the era asks for is there and equal to the body. Whatever falls out is the SDK's
 * to answer, so that there is one place that words protocol errors.
 */
export function fastRouter(): (exchange: Pick<Exchange, 'req' | 'body'>) => FastRoute | null {
  const eraOf = eraClassifier();
  return ({ req, body }) => {
    if (!isObject(body) || body['jsonrpc'] !== '2.0' || !isRpcId(body['id'])) return null;
    const row = METHODS.get(body['method']);
    if (!row) return null;
    const params = body['params'] === undefined ? {} : body['params'];
    const members = body['params'] === undefined ? 3 : 4;
    if (!isObject(params) || Object.keys(body).length !== members) return null;
    const era = eraOf({
      method: body['method'] as string,
      version: headerOf(req, 'mcp-protocol-version'),
      mcp_method: headerOf(req, 'mcp-method'),
      meta: params['_meta'],
    });
    const { run, named, only = era } = row;
    if (era === null || only !== era) return null;
    if (era === 'modern' && named && !isNamed(headerOf(req, 'mcp-name'), params[named])) return null;
    return { run, request: { id: body['id'], params, era } };
  };
}

// An encoded name is the SDK's to decode.
const isNamed = (header: string | undefined, name: unknown) =>
  header === name && !header?.startsWith('=?base64?');

/** Answers what fastRoute found. */
export async function serveFast(
  edge: McpEdge,
  exchange: Exchange,
  { run, request }: FastRoute,
): Promise<void> {
  const answer = await run(edge, exchange, request);
  sendAnswer(exchange, request.era === 'modern' ? asModern(answer) : answer, request.id);
}

/** What the 2026-07-28 revision asks of every result, as the SDK stamps it. */
function asModern(answer: Answer): Answer {
  if (answer.kind !== 'result') return answer;
  const _meta = { ...metaOf(answer.result), [SERVER_INFO_META_KEY]: SERVER_INFO };
  return { kind: 'result', result: { resultType: 'complete', ...answer.result, _meta } };
}
