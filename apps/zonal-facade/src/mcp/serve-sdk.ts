import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sendEmpty, sendText } from '../answer.js';
import { failureOf } from '../failure.js';
import { invalid, recordRefusal } from '../refusing.js';
import { identityAnswer, sendAnswer, sendFailure, sendMessage } from './answer.js';
import type { Exchange, McpEdge } from './exchange.js';
import { echoableId, isObject, paramsOf } from './json-rpc.js';
import { listen } from './listen.js';
import { METHODS } from './methods.js';
import { refuseParams } from './refuse-params.js';
import { STREAM_HEADERS } from './response-stream.js';
import { isLegacy, type SdkServer } from './sdk-path.js';

/** Answers by the SDK all the fast path leaves: who it is first, then the protocol, then a record if it was malformed. */
export async function serveBySdk(edge: McpEdge, sdk: SdkServer, exchange: Exchange): Promise<void> {
  const { caller, body, res } = exchange;
  const id = echoableId(body);
  try {
    await edge.router.identify(caller);
  } catch (error) {
    const answer = identityAnswer(failureOf(error, caller), id);
    if (answer.kind === 'failure') return sendFailure(exchange, answer.failure, id);
    // A method of ours is judged by router once more, with all it is about: what it says then is the answer.
    if (id !== null && !isOurs(body)) return sendAnswer(exchange, answer, id);
  }
  if (isCancel(body)) edge.cancels.ask(caller.credentials.bearer_digest, paramsOf(body)['requestId']);
  if (id !== null && greetsBadly(body) && isLegacy(exchange)) {
    const message = 'initialize needs params.protocolVersion, params.capabilities and params.clientInfo.';
    const details = { path: '/params', rule: 'required' };
    return sendAnswer(exchange, await refuseParams(edge, exchange, message, details), id);
  }
  const response = await sdk.handle(exchange);
  if (exchange.listens && id !== null) return listen(edge, exchange, id);
  if (exchange.instead && id !== null) return sendAnswer(exchange, exchange.instead, id);
  if (response.status === 400) {
    const { kind, failure } = await recordRefusal(edge.router, caller, MALFORMED);
    if (kind === 'outranked') return sendFailure(exchange, failure, id);
  }
  await sendResponse(exchange, response);
  if (!res.writableEnded) res.end();
}

const MALFORMED = invalid('The request breaks the MCP revision it names.', { rule: 'protocol' });

const isOurs = (body: unknown) => isObject(body) && METHODS.has(body['method']);
/** The SDK answers these with its validator's own text, as if the fault were ours. */
function greetsBadly(body: unknown): boolean {
  if (!isObject(body) || body['method'] !== 'initialize') return false;
  const { protocolVersion, capabilities, clientInfo } = paramsOf(body);
  return (
    typeof protocolVersion !== 'string' ||
    !isObject(capabilities) ||
    !isObject(clientInfo) ||
    typeof clientInfo['name'] !== 'string' ||
    typeof clientInfo['version'] !== 'string'
  );
}
const isCancel = (body: unknown) =>
  isObject(body) && body['method'] === 'notifications/cancelled' && !('id' in body);

/** Copies the SDK's answer out: JSON whole and in the form the client takes, a stream as it comes. */
async function sendResponse(exchange: Exchange, response: Response): Promise<void> {
  const { res, abort, stream } = exchange;
  if (stream.open) return stream.finish(await response.text());
  if (res.headersSent || res.destroyed) return;
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null) return sendEmpty(res, response.status);
  if (!type.startsWith('text/event-stream')) {
    const text = await response.text();
    if (response.status === 200) sendMessage(exchange, text);
    else sendText(res, response.status, 'application/json', text);
    return;
  }
  res.writeHead(response.status, { ...STREAM_HEADERS, 'content-type': type });
  // The client closing the stream ends the subscription; that is no error of ours.
  await pipeline(Readable.fromWeb(response.body as never), res, { signal: abort.signal }).catch(
    () => undefined,
  );
}
