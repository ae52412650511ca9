import type { Envelope } from '@adaos/contracts';
import { failureIn, failureOf, rowOf, type Failure } from '../failure.js';
import { identityAnswer, type Answer } from './answer.js';
import type { Exchange, McpEdge } from './exchange.js';
import type { RpcId } from './json-rpc.js';

/** Milliseconds a client may keep a list or what it read: short, since a revoked or narrowed lease must show. */
export const TTL_MS = 5_000;

/** What the modern revision asks of lists and reads. They vary by lease, so they are private to it. */
export const cacheHints = (era: 'modern' | 'legacy') =>
  era === 'modern' ? { ttlMs: TTL_MS, cacheScope: 'private' as const } : {};

export type Governed =
  | { readonly ok: true; readonly result: Record<string, unknown>; readonly envelope: Envelope }
  | { readonly ok: false; readonly failure: Failure };

/** One governed call for something that is no `tools/call`. Throws what the way to router throws. */
export async function governed(
  { router }: Pick<McpEdge, 'router'>,
  { caller, abort }: Pick<Exchange, 'caller' | 'abort'>,
  tool_id: string,
  args: Record<string, unknown>,
): Promise<Governed> {
  const envelope = await router.call(caller, { name: tool_id, arguments: args }, abort.signal);
  const failure = failureIn(envelope);
  return failure ? { ok: false, failure } : { ok: true, result: envelope.result ?? {}, envelope };
}

const HIDDEN = new Set([400, 403, 404, 409]);
/** Refused for what it is or whose it is: told like something that does not exist. Limits and faults are told as they are. */
export const isHidden = ({ code }: Pick<Failure, 'code'>): boolean =>
  HIDDEN.has(rowOf(code).http) && !code.endsWith('_mismatch');

/** Runs a method whose work is asking router: what router refuses or fails at becomes the answer. */
export async function answering(
  { caller, abort }: Pick<Exchange, 'caller' | 'abort'>,
  id: RpcId,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (abort.signal.aborted) return { kind: 'cancelled' };
    return identityAnswer(failureOf(error, caller), id);
  }
}
