import { invalid, recordRefusal } from '../refusing.js';
import { errorOf, type Answer } from './answer.js';
import type { Exchange, McpEdge } from './exchange.js';
import { INVALID_PARAMS } from './json-rpc.js';

/** -32602 for what is wrong beside the arguments, on record; a bad bearer outranks it. */
export async function refuseParams(
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
