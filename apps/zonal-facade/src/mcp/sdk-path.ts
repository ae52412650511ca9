import { toWebRequest } from '@modelcontextprotocol/node';
import {
  classifyInboundRequest,
  createMcpHandler,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import { SERVER_INFO } from '../version.js';
import { headerOf } from '../raw-headers.js';
import { TASKS_EXTENSION } from './client-capabilities.js';
import type { Era, Exchange, McpEdge } from './exchange.js';
import { isObject, paramsOf, type RpcId } from './json-rpc.js';
import { METHODS } from './methods.js';

/** Shown to the model by most clients: what this is, where to start, how to read a refusal. */
const INSTRUCTIONS =
  'Governed access to the AdaOS targets this lease allows. Look first (hub_get_status, hub_get_operational_surface or ' +
  'adaos_dev_get_foundation, if listed), then act. Writes take dry_run and request_id: try with dry_run, repeat a lost write with the ' +
  'same request_id. A result with isError holds a code and says whether another try helps; give its audit_event_id to the operator.';

/** What is served in each era. A change can be told on a stream of the modern one alone: without sessions the legacy one has none. */
const CAPABILITIES = {
  modern: {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    completions: {},
    extensions: { [TASKS_EXTENSION]: {} },
  },
  legacy: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
};

// What discover answers is the same for everybody, but it came through a lease.
const DISCOVER = { 'server/discover': { ttlMs: 60_000, cacheScope: 'private' as const } };

/** The official SDK behind one function: a parsed exchange in, the SDK's answer out. */
export interface SdkServer {
  handle(exchange: Exchange): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Serves both eras by the SDK. The modern leg is its own handler; the legacy leg gets a transport per request that answers JSON, since
 * the handler's own would stream each answer as SSE (reference, 3.3).
 */
export function sdkServer(edge: McpEdge): SdkServer {
  const onerror = (error: Error) => edge.log.debug({ reason: error.message }, 'mcp sdk');
  const modern = createMcpHandler((context) => serverFor(edge, context.era, exchangeOf(context)), {
    legacy: 'reject',
    // The SDK has one change bus for everybody; ours belong to a bearer each (streams.ts).
    maxSubscriptions: 0,
    onerror,
  });

  async function legacy(request: Request, exchange: Exchange): Promise<Response> {
    const server = serverFor(edge, 'legacy', exchange);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    server.onerror = onerror;
    try {
      await server.connect(transport);
      return await transport.handleRequest(request, { parsedBody: exchange.body });
    } finally {
      await server.close();
    }
  }

  return {
    async handle(exchange) {
      const { req, body, abort } = exchange;
      // Accept was judged by our own, wider rule; the legacy transport wants both types in so many words.
      req.headers.accept = 'application/json, text/event-stream';
      const request = await toWebRequest(req, body, { signal: abort.signal });
      if (isLegacy(exchange)) return legacy(request, exchange);
      return modern.fetch(request, { parsedBody: body, authInfo: authInfoOf(exchange) });
    },
    close: () => modern.close(),
  };
}

/** The classifier routes, exactly as on the fast path; all it rejects is the modern handler's to answer. */
export function isLegacy({ req, body }: Pick<Exchange, 'req' | 'body'>): boolean {
  const header = (name: string) => headerOf(req, name);
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    protocolVersionHeader: header('mcp-protocol-version'),
    mcpMethodHeader: header('mcp-method'),
    mcpNameHeader: header('mcp-name'),
  });
  return outcome.kind === 'legacy';
}

// The SDK hands auth info through to the factory untouched: the way for an exchange to reach its server. No token is in it.
const authInfoOf = (exchange: Exchange): AuthInfo => ({
  token: '',
  clientId: '',
  scopes: [],
  extra: { exchange },
});
const exchangeOf = ({ authInfo }: McpRequestContext) => authInfo?.extra?.['exchange'] as Exchange;

/** The SDK serves a method that it removed from the core, and the tasks extension took over, only with a schema of one's own. */
const REUSED = ['tasks/get', 'tasks/cancel'] as const;
const ANY_PARAMS = {
  params: {
    '~standard': { version: 1, vendor: 'adaos', validate: (value: unknown) => ({ value: value as object }) },
  },
} as const;

/**
 * A server for one request. Ours are answered by the fallback handler, which gets the message as sent: a registered one would first be
 * checked by the SDK's zod schemas, whose dump then is the error text (F09). Without a method of ours there is no fallback, so that
 * the SDK itself refuses unknown methods, with the era's status.
 */
function serverFor(edge: McpEdge, era: Era, exchange: Exchange): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: CAPABILITIES[era],
    cacheHints: DISCOVER,
    instructions: INSTRUCTIONS,
  });
  const name = isObject(exchange.body) ? exchange.body['method'] : undefined;
  // Here the SDK has judged headers and envelope; the stream itself is ours.
  if (era === 'modern' && name === 'subscriptions/listen') exchange.listens = true;
  const { run: method, only = era } = METHODS.get(name) ?? {};
  if (method && only === era) {
    const serve = async (id: RpcId) => {
      // As sent: the SDK takes out what it keeps for itself (client capabilities, retry fields), and ours reads them.
      const answer = await method(edge, exchange, { id, params: paramsOf(exchange.body), era });
      if (answer.kind === 'result') return answer.result;
      if (answer.kind === 'error' && answer.http === undefined)
        throw new ProtocolError(answer.error.code, answer.error.message, answer.error.data);
      exchange.instead = answer;
      throw new ProtocolError(-32603, 'answered outside of the protocol');
    };
    server.fallbackRequestHandler = ({ id }) => serve(id);
    const reused = REUSED.find((one) => one === name);
    if (reused) server.setRequestHandler(reused, ANY_PARAMS, (_params, { mcpReq }) => serve(mcpReq.id));
  }
  return server;
}
