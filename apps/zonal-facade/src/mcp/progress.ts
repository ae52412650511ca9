import type { CallProgress, ProgressStep } from '@adaos/contracts';
import { metaOf, type RpcId } from './json-rpc.js';
import type { Exchange } from './exchange.js';

/** The calls of this replica whose clients want to hear how far they have come. */
export interface ProgressListeners {
  /** Returns the removal. */
  listen(call_id: string, hear: (step: ProgressStep) => void): () => void;
  /** An event of router: every replica hears of every call, and passes on its own. */
  tell(event: CallProgress): void;
}

export function progressListeners(): ProgressListeners {
  const calls = new Map<string, (step: ProgressStep) => void>();
  return {
    listen(call_id, hear) {
      calls.set(call_id, hear);
      return () => void calls.delete(call_id);
    },
    tell({ call_id, ...step }) {
      calls.get(call_id)?.(step);
    },
  };
}

/**
 * The token progress is to be sent under, or null when the client sent none, or one that can't be echoed exactly, or takes no stream.
 * An Accept that does not name SSE gets JSON, token or not.
 */
export function progressTokenOf({ takes_sse }: Exchange, params: Record<string, unknown>): RpcId | null {
  const { progressToken } = metaOf(params);
  if (!takes_sse) return null;
  return typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
    ? (progressToken as RpcId)
    : null;
}

/** What a client hears of a call on its way: progress under its token, the words as log messages, or both. */
export interface Heard {
  readonly token: RpcId | null;
  readonly logs: boolean;
}

/** Passes the steps of a call on to its response stream until the returned function is called. */
export function followProgress(
  listeners: ProgressListeners,
  { caller, stream }: Exchange,
  { token, logs }: Heard,
): () => void {
  let last = -1;
  return listeners.listen(caller.call_id, ({ progress, total, message }) => {
    // An event may come twice or late over a broker; a client must see it grow.
    if (progress <= last) return;
    last = progress;
    if (token !== null)
      stream.notify('notifications/progress', {
        progressToken: token,
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      });
    if (logs && message !== undefined)
      stream.notify('notifications/message', { level: 'info', logger: 'tool', data: message });
  });
}
