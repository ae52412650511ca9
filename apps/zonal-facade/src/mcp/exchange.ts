import type { Clock, Log } from '@adaos/runtime';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Form } from '../accept.js';
import type { Bounds } from '../bounds.js';
import type { Caller, CallerDeps } from '../caller.js';
import type { RouterPort } from '../router-port.js';
import type { CancelVotes } from './cancel-votes.js';
import type { InFlight } from './in-flight.js';
import type { Answer } from './answer.js';
import type { ProgressListeners } from './progress.js';
import type { RequestStates } from './request-state.js';
import type { ResponseStream } from './response-stream.js';
import type { Streams } from './streams.js';

/** What serving the MCP endpoint needs; made once at start. */
export interface McpEdge {
  readonly router: RouterPort;
  readonly callers: CallerDeps;
  readonly bounds: Bounds;
  readonly in_flight: InFlight;
  readonly cancels: Pick<CancelVotes, 'ask'>;
  readonly progress: ProgressListeners;
  readonly states: RequestStates;
  /** The page where an approval is decided; null when no console is served. */
  readonly approvalUrl: (approval_id: string) => string | null;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly log: Log;
  /** False serves all by the SDK: the reference the fast path is compared with. */
  readonly fast_path: boolean;
}

/** One POST on the endpoint, read and parsed. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly caller: Caller;
  readonly body: unknown;
  readonly form: Form;
  /** The client reads SSE, so its answer may become a stream. */
  readonly takes_sse: boolean;
  readonly stream: ResponseStream;
  /** Aborts when the client disconnects or cancels. */
  readonly abort: AbortController;
  /** What the SDK can't say (401, 503, a status of its own): set by a handler that ran inside it, sent instead of the SDK's answer. */
  instead?: Answer;
  /** A well-formed `subscriptions/listen`: answered by a stream of ours. */
  listens?: boolean;
}

export type Era = 'modern' | 'legacy';
