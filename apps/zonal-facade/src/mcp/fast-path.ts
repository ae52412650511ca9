import {
  classifyInboundRequest,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { SERVER_INFO } from '../version.js';
import { headerOf } from '../raw-headers.js';
import { sendAnswer, type Answer } from './answer.js';
import type { Era, Exchange, McpEdge } from './exchange.js';
import { isObject, isRpcId, metaOf, paramsOf } from './json-rpc.js';
import { METHODS, type Method, type MethodRequest } from './methods.js';

/** The one modern revision served. */
const MODERN = '2026-07-28';

interface FastRoute {
  readonly method: Method;
  readonly request: MethodRequest;
}

/**
 * Can this request be answered without the SDK? Only when nothing about it is odd: the SDK's own classifier sorts it into an era, every
 * header the era asks for is there and equal to the body. Whatever falls out is the SDK's to answer, so that there is one place that
 * words protocol errors.
 */
export function fastRoute({ req, body }: Pick<Exchange, 'req' | 'body'>): FastRoute | null {
  if (!isObject(body) || !isRpcId(body['id'])) return null;
  const method = METHODS.get(body['method']);
  if (!method) return null;
  const version = headerOf(req, 'mcp-protocol-version');
  const mcp_method = headerOf(req, 'mcp-method');
  const mcp_name = headerOf(req, 'mcp-name');
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(mcp_method !== undefined && { mcpMethodHeader: mcp_method }),
    ...(mcp_name !== undefined && { mcpNameHeader: mcp_name }),
  });
  const params = paramsOf(body);
  const route = (era: Era): FastRoute => ({
    method,
    request: { id: body['id'] as string | number, params, era },
  });
  if (outcome.kind === 'legacy') {
    const served = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
    return outcome.reason === 'no-claim' && served ? route('legacy') : null;
  }
  if (outcome.kind !== 'modern' || outcome.classification.revision !== MODERN) return null;
  const agrees = version === MODERN && mcp_method === body['method'];
  const names = body['method'] !== 'tools/call' || mcp_name === params['name'];
  return agrees && names ? route('modern') : null;
}

/** Answers what fastRoute found. */
export async function serveFast(
  edge: McpEdge,
  exchange: Exchange,
  { method, request }: FastRoute,
): Promise<void> {
  const answer = await method(edge, exchange, request);
  sendAnswer(exchange, request.era === 'modern' ? asModern(answer) : answer, request.id);
}

/** What the 2026-07-28 revision asks of every result, as the SDK stamps it. */
function asModern(answer: Answer): Answer {
  if (answer.kind !== 'result') return answer;
  const _meta = { ...metaOf(answer.result), [SERVER_INFO_META_KEY]: SERVER_INFO };
  return { kind: 'result', result: { ...answer.result, resultType: 'complete', _meta } };
}
