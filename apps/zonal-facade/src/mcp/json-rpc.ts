import { OpError } from '@adaos/contracts';

export type RpcId = string | number;

/** A JSON-RPC error on its way out. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Record<string, unknown>;
}

const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Legal ids are strings and integers up to 2^53: they can be echoed exactly, others can't (contracts.md, Rulings). */
export const isRpcId = (value: unknown): value is RpcId =>
  typeof value === 'string' || Number.isSafeInteger(value);

export const rpcError = (id: RpcId | null, error: RpcError) => ({ jsonrpc: '2.0' as const, id, error });

/** The id an error can be linked to; null where there is none to trust. */
export const echoableId = (body: unknown): RpcId | null =>
  isObject(body) && isRpcId(body['id']) ? body['id'] : null;

/** `params` of a message when they are an object. */
export const paramsOf = (body: unknown): Record<string, unknown> =>
  isObject(body) && isObject(body['params']) ? body['params'] : {};
export const metaOf = (params: Record<string, unknown>): Record<string, unknown> =>
  isObject(params['_meta']) ? params['_meta'] : {};

/**
 * What no revision served here allows: a batch (F02; the SDK's legacy leg would run it) and an id that can't be echoed. Null when the
 * body may go on.
 */
export function shapeFault(body: unknown): { rule: string; message: string } | null {
  if (Array.isArray(body)) return { rule: 'batch', message: 'JSON-RPC batches are not served.' };
  if (!isObject(body) || !('id' in body) || isRpcId(body['id'])) return null;
  return { rule: 'id', message: 'The id must be a string or an integer up to 2^53.' };
}

// Broken bytes are a parse error, a broken message an invalid request; what hides inside the arguments is an invalid parameter (F09).
const CODE_OF_RULE: Record<string, number> = {
  json: PARSE_ERROR,
  'utf-8': PARSE_ERROR,
  prototype: INVALID_PARAMS,
  depth: INVALID_PARAMS,
};

/** The JSON-RPC code of a body the parser refused. */
export const codeOfParse = (error: OpError): number =>
  CODE_OF_RULE[String(error.details?.['rule'])] ?? INVALID_REQUEST;

/** A tool call that wants no answer: never run, a write could not be told from a lost one (F03). */
export const isToolNotification = (body: unknown) =>
  isObject(body) && body['jsonrpc'] === '2.0' && body['method'] === 'tools/call' && !('id' in body);
