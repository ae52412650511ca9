import { OpError } from '@adaos/contracts';
import { decodeBody } from './body.js';
import type { BusHeaders, ServeContext, ServeOptions } from './port.js';
import { errorReply, okReply } from './reply.js';
import { within } from './within.js';

/** What a bus reports of itself; pino's logger has this shape. */
export interface BusLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A request as it came off the wire. */
export interface Incoming {
  readonly subject: string;
  readonly headers: BusHeaders;
  /** JSON text, or null when the bytes weren't UTF-8. */
  readonly text: string | null;
  /** Absent for a published message: it is handled, nobody is answered. */
  readonly reply?: (text: string) => void;
}

export interface RequestServer {
  accept(incoming: Incoming): void;
  holds(request_id: string): boolean;
  /** Resolves once nothing runs or waits. After `timeout_ms` signals abort, waiting requests are refused, and it resolves anyway. */
  drain(timeout_ms: number): Promise<void>;
}

interface ServerDeps {
  readonly options: ServeOptions;
  readonly handler: (body: unknown, context: ServeContext) => Promise<unknown>;
  readonly max_payload: () => number;
}

const DEFAULT_MAX_WAITING = 1024;

/** The context of one request. Most handlers never look at the signal, and an AbortController costs more than the hop: it is made on first use. */
class RequestContext implements ServeContext {
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reason: OpError | undefined;
  #ended = false;

  constructor(
    readonly subject: string,
    readonly headers: BusHeaders,
    readonly deadline_ms: number,
  ) {}

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      const left_ms = this.deadline_ms - Date.now();
      if (this.#reason) this.#controller.abort(this.#reason);
      else if (left_ms < 2 ** 31 && !this.#ended)
        this.#timer = setTimeout(() => this.abort(new OpError('deadline_exceeded')), Math.max(left_ms, 0));
    }
    return this.#controller.signal;
  }

  get aborted(): OpError | undefined {
    return this.#reason;
  }

  abort(reason: OpError): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }
}

/**
 * The one wrapper around every handler of both buses: bounds, decoding, deadline, error body, size of the reply, draining.
 * A handler never sees an expired request, and a caller never waits for an answer that can't be sent.
 */
export function createServer({ options, handler, max_payload }: ServerDeps): RequestServer {
  const max_waiting = options.max_waiting ?? DEFAULT_MAX_WAITING;
  const running = new Set<RequestContext>();
  const waiting: Incoming[] = [];
  let at_work = 0;
  let refusing = false;
  let onIdle: (() => void) | undefined;

  const refuse = (incoming: Incoming, error: OpError) => incoming.reply?.(errorReply(error, max_payload()));

  async function answer(incoming: Incoming): Promise<string> {
    const deadline_ms =
      incoming.headers.deadline_at === undefined ? Infinity : Date.parse(incoming.headers.deadline_at);
    // The caller has gone: running now would do work that nobody hears of.
    if (deadline_ms <= Date.now()) return errorReply(new OpError('deadline_exceeded'), max_payload());
    const context = new RequestContext(incoming.subject, incoming.headers, deadline_ms);
    running.add(context);
    try {
      return okReply(await handler(bodyOf(incoming), context), max_payload());
    } catch (error) {
      // Work that stopped because we aborted it fails in its own words (AbortError); the caller needs ours.
      return errorReply(error instanceof OpError ? error : (context.aborted ?? error), max_payload());
    } finally {
      running.delete(context);
      context.end();
    }
  }

  async function run(incoming: Incoming): Promise<void> {
    at_work += 1;
    const text = await answer(incoming);
    at_work -= 1;
    incoming.reply?.(text);
    const next = waiting.shift();
    if (next) void run(next);
    else if (at_work === 0) onIdle?.();
  }

  return {
    accept(incoming) {
      if (refusing) refuse(incoming, new OpError('dependency_unavailable', { reason: 'stopped' }));
      else if (at_work < options.max_concurrency) void run(incoming);
      else if (waiting.length < max_waiting) waiting.push(incoming);
      else refuse(incoming, new OpError('concurrency_limited', { scope: 'service', retry_after_ms: 1_000 }));
    },
    // Asked for seldom: looking through costs nothing until then, an index would cost each request.
    holds(request_id) {
      for (const { headers } of running) if (headers.request_id === request_id) return true;
      return waiting.some(({ headers }) => headers.request_id === request_id);
    },
    async drain(timeout_ms) {
      if (at_work > 0) await within(new Promise<void>((resolve) => (onIdle = resolve)), timeout_ms);
      refusing = true;
      for (const incoming of waiting.splice(0))
        refuse(incoming, new OpError('dependency_unavailable', { reason: 'stopped' }));
      for (const context of running) context.abort(new OpError('cancelled', { reason: 'stopped' }));
    },
  };
}

function bodyOf(incoming: Incoming): unknown {
  try {
    if (incoming.text !== null) return decodeBody(incoming.text);
  } catch {
    // falls through: the peer's bytes are not quoted back
  }
  throw new OpError('invalid_argument', { reason: 'body_not_json' });
}
