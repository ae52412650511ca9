import { OpError, type ErrorCode } from '@adaos/contracts';

/** Travels with every message (contracts.md, "NATS subjects"). `deadline_at` is RFC 3339 UTC. */
export interface BusHeaders {
  readonly request_id?: string;
  readonly traceparent?: string;
  readonly deadline_at?: string;
}

export interface RequestOptions {
  /** Milliseconds; the request fails with deadline_exceeded after it. Sets `deadline_at` for the server. */
  readonly timeout_ms: number;
  readonly headers?: Omit<BusHeaders, 'deadline_at'>;
  readonly signal?: AbortSignal;
}

export interface ServeContext {
  readonly subject: string;
  readonly headers: BusHeaders;
  /** Aborts when the requester's deadline passes or the server drains past its bound. */
  readonly signal: AbortSignal;
}

export interface ServeOptions {
  /** Replicas with the same queue share the work; absent: every replica answers (never for requests). */
  readonly queue: string;
  /** Requests handled at once; one more waits until `max_waiting`, then is answered concurrency_limited at once. */
  readonly max_concurrency: number;
  /** Default 1,024: a burst is absorbed, and whoever waited past its deadline is answered without running. */
  readonly max_waiting?: number;
}

/** One entry of a durable stream as handed to its consumer. */
export interface StreamMessage {
  readonly subject: string;
  /** `undefined` when the stored bytes aren't JSON: set it aside, throwing would bring the same bytes back for ever. */
  readonly body: unknown;
  readonly msg_id: string;
  /** Seen before, perhaps by another replica: the batch may already be committed, so commit by `msg_id`. Order isn't kept then. */
  readonly redelivered: boolean;
}

export interface ConsumeOptions {
  readonly stream: string;
  /** Subjects the stream captures; the consumer creates the stream if it is missing. */
  readonly subjects: readonly string[];
  /** One per stream: a message leaves the stream once its one consumer has committed it. Replicas share the name and the work. */
  readonly durable: string;
  readonly max_batch: number;
}

export interface Subscription {
  /** Stops taking messages and waits for handlers in flight, at most `timeout_ms` (default 5,000). */
  stop(timeout_ms?: number): Promise<void>;
}

/** A subscription that answers requests. */
export interface Served extends Subscription {
  /** Does a request with this id wait or run here? Until the reply is on its way. */
  holds(request_id: string): boolean;
}

/**
 * The only way services talk. Implementations: `nats.ts`, `in-process.ts`; both pass `bus.suite.ts`, so that what works embedded
 * works split. Every body is JSON bytes on the way, payloads have a limit, users have permissions.
 */
export interface Bus {
  /** Largest body in bytes, of a request and of a result alike; headers and the reply's envelope don't count. */
  readonly max_payload: number;
  /**
   * Asks one server. Throws BusError (no_responders at once, timeout, aborted, too_large, forbidden, bad_subject, bad_header, closed)
   * or the OpError the server threw. After timeout, aborted and closed the server may still have done the work.
   */
  request<T>(subject: string, body: unknown, options: RequestOptions): Promise<T>;
  /** Tells every subscriber; no delivery promise, and none at all while disconnected. Throws BusError as `request` does. */
  publish(subject: string, body: unknown, headers?: BusHeaders): void;
  /**
   * Answers requests. In `subject` a token may be `*`. What the handler throws goes back as an error body, so an OpError keeps its code.
   * Throws BusError (bad_subject; forbidden in-process, where a broker's refusal comes later and is logged).
   */
  serve(
    subject: string,
    options: ServeOptions,
    handler: (body: unknown, context: ServeContext) => Promise<unknown>,
  ): Served;
  subscribe(subject: string, handler: (body: unknown, subject: string) => void): Subscription;
  /**
   * Appends to a durable stream; resolves once it can't be lost: JetStream's ack, or embedded, the consumer's commit.
   * The same `msg_id` twice within two minutes is stored once. Throws BusError (timeout; no_responders when the stream is missing;
   * not_stored when it is full; too_large, forbidden, bad_subject, bad_header, closed).
   */
  append(subject: string, body: unknown, options: { msg_id: string; timeout_ms: number }): Promise<void>;
  /**
   * Hands batches to `handler`, one at a time; a batch is acknowledged when it resolves and delivered again, after a growing pause,
   * when it throws. What arrives meanwhile becomes the next batch. Throws OpError conflict when the stream has another durable.
   */
  consume(
    options: ConsumeOptions,
    handler: (batch: readonly StreamMessage[]) => Promise<void>,
  ): Promise<Subscription>;
  readonly connected: boolean;
  close(): Promise<void>;
}

export const BUS_FAULTS = {
  no_responders: 'dependency_unavailable',
  timeout: 'deadline_exceeded',
  aborted: 'cancelled',
  too_large: 'result_too_large',
  forbidden: 'internal',
  bad_subject: 'internal',
  bad_header: 'internal',
  not_stored: 'dependency_unavailable',
  closed: 'dependency_unavailable',
} as const satisfies Record<string, ErrorCode>;
export type BusFault = keyof typeof BUS_FAULTS;

/** A message that didn't get through, as opposed to a server that refused. */
export class BusError extends OpError {
  constructor(
    readonly fault: BusFault,
    readonly subject: string,
  ) {
    super(BUS_FAULTS[fault], { reason: fault });
  }
}

/** A literal subject: dot-separated tokens, no wildcards, nothing that could end the protocol line (field case F27). */
export const SUBJECT = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
