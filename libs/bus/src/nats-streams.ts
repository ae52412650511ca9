import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { MsgHdrsImpl, nanos } from '@nats-io/transport-node';
import { OpError } from '@adaos/contracts';
import type { NatsLink } from './nats-link.js';
import { PendingReply } from './pending-reply.js';
import { BusError, type ConsumeOptions } from './port.js';
import { DEDUPE_WINDOW_MS } from './redelivery.js';

export interface StreamSettings {
  /** Bytes on disk that unread messages may take; default 1 GiB. When full, appends fail with `not_stored`. */
  readonly max_bytes?: number;
  /** Milliseconds after which an unread message is given up; default 0, never. */
  readonly max_age_ms?: number;
  /** Copies in a cluster; default 1. */
  readonly replicas?: number;
}

const DEFAULT_MAX_BYTES = 1024 ** 3;

/** How long a message may be with a consumer before it goes to another; a consumer at work says so every third of it. */
export const ACK_WAIT_MS = 30_000;

const STREAM_EXISTS_OTHERWISE = 10_058;
const OTHER_CONSUMER = [10_099, 10_100];

/** Appends one message; resolves by JetStream's ack. Throws BusError. */
export async function appendNats(
  link: NatsLink,
  subject: string,
  text: string,
  { msg_id, timeout_ms }: { msg_id: string; timeout_ms: number },
): Promise<void> {
  const pending = new PendingReply(subject, { timeout_ms }, link.forget, (ack) =>
    readAck(ack, link, subject),
  );
  link.send(link.wire(subject), text, MsgHdrsImpl.fromRecord({ 'Nats-Msg-Id': [msg_id] }), pending);
  await pending.promise;
}

function readAck(text: string, link: NatsLink, subject: string): void {
  let ack: { stream?: unknown; error?: { description?: unknown } } = {};
  try {
    ack = JSON.parse(text) as typeof ack;
  } catch {
    // not JetStream's ack: whoever answered, nothing is stored
  }
  if (typeof ack.stream === 'string' && !ack.error) return;
  link.log.error({ subject, reason: ack.error?.description }, 'the stream did not take a message');
  throw new BusError('not_stored', subject);
}

/**
 * Creates the stream and its one durable consumer, or brings them up to date. Work-queue retention with `discard: new`: a message
 * leaves the stream only when its consumer has committed it, and a full stream refuses appends instead of dropping unread records. With
 * limits retention, records committed long ago would fill the stream and stop the zone (discard new), or unread ones vanish (discard old).
 * Throws OpError conflict when the stream has another durable, BusError otherwise.
 */
export async function ensureStream(
  link: NatsLink,
  options: ConsumeOptions,
  settings: StreamSettings,
): Promise<void> {
  const name = link.stream(options.stream);
  const limits = {
    subjects: options.subjects.map((subject) => link.wire(subject)),
    max_bytes: settings.max_bytes ?? DEFAULT_MAX_BYTES,
    max_age: nanos(settings.max_age_ms ?? 0),
    duplicate_window: nanos(DEDUPE_WINDOW_MS),
    discard: DiscardPolicy.New,
    num_replicas: settings.replicas ?? 1,
  };
  try {
    // checkAPI asks for account information, which no user of ours may read.
    const api = await jetstreamManager(link.nc, { checkAPI: false });
    try {
      await api.streams.add({
        name,
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
        ...limits,
      });
    } catch (error) {
      if (!(error instanceof JetStreamApiError) || error.code !== STREAM_EXISTS_OTHERWISE) throw error;
      await api.streams.update(name, limits);
    }
    await api.consumers.add(name, {
      durable_name: options.durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(ACK_WAIT_MS),
      max_deliver: -1,
      // Two batches a replica, for a good number of replicas.
      max_ack_pending: Math.max(1_000, 16 * options.max_batch),
    });
  } catch (error) {
    throw toBusError(error, link, options.stream);
  }
}

function toBusError(error: unknown, link: NatsLink, stream: string): Error {
  if (error instanceof JetStreamApiError && OTHER_CONSUMER.includes(error.code))
    return new OpError('conflict', { reason: 'stream_has_another_durable', stream });
  link.log.error({ err: error, stream }, 'stream or consumer not made');
  const cause = error instanceof Error ? ((error.cause as Error | undefined) ?? error) : undefined;
  if (cause?.name === 'PermissionViolationError') return new BusError('forbidden', stream);
  if (cause?.name === 'NoResponders') return new BusError('no_responders', stream);
  if (cause?.name === 'TimeoutError') return new BusError('timeout', stream);
  return new BusError('not_stored', stream);
}
