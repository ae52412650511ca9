import { connect, type NatsConnection, type Subscription as NatsSubscription } from '@nats-io/transport-node';
import { decodeBody, encodeBody, fits, textOf } from './body.js';
import { checkHeaderValue, pickHeaders, timestampOf } from './headers.js';
import { consumeNats } from './nats-consume.js';
import { createLink, fromNatsHeaders, toNatsHeaders, type NatsLink } from './nats-link.js';
import { appendNats, type StreamSettings } from './nats-streams.js';
import { PendingReply } from './pending-reply.js';
import { BusError, type Bus, type Subscription } from './port.js';
import { createServer, type BusLog } from './serve.js';
import { checkPattern, checkSubject } from './subject.js';
import { within } from './within.js';

export interface NatsOptions {
  /** `nats://host:port` or `tls://host:port`, several separated by commas. Credentials in it are not read. */
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
  /** Shown in the server's connection list and in our log. */
  readonly name: string;
  /** From `inboxPrefixOf`; a broker with our permissions refuses any other. */
  readonly inbox_prefix?: string;
  /** Put before every subject and stream name, so that test runs can share a server. */
  readonly subject_prefix?: string;
  /** Requires TLS, as `tls://` does; `ca_file` is a PEM file, absent for the system's authorities. */
  readonly tls?: { readonly ca_file?: string };
  /** Pause between attempts to reconnect, plus up to twice as much at random; default 500. */
  readonly reconnect_wait_ms?: number;
  /** How long to go on trying for the first connection; default 0, one attempt. Infinity suits an agent whose root may be away. */
  readonly first_connect_ms?: number;
  readonly streams?: StreamSettings;
  readonly log?: BusLog;
}

const quiet: BusLog = { info() {}, warn() {}, error() {} };

/** A half-open connection is noticed after two of these; also keeps a hub's NAT entry alive. */
const PING_INTERVAL_MS = 10_000;

/**
 * The bus over a NATS server with JetStream (2.9 or later). Reconnects for ever. While disconnected, requests fail with `closed` at
 * once and events are dropped; a request that was already sent waits on, since its answer may still arrive after a quick reconnect.
 * Throws BusError `forbidden` on refused credentials, `closed` when no server answers.
 */
export async function connectNats(options: NatsOptions): Promise<Bus> {
  const log = options.log ?? quiet;
  if (options.subject_prefix !== undefined) checkSubject(options.subject_prefix);
  const nc = await firstConnection(options, log);
  const { subject_prefix, inbox_prefix = '_INBOX' } = options;
  const link = createLink({ nc, log, inbox_prefix, subject_prefix });
  const subscriptions = new Set<Subscription>();
  const stopped = (subscription: Subscription) => void subscriptions.delete(subscription);
  const keep = (subscription: Subscription): Subscription => {
    subscriptions.add(subscription);
    return subscription;
  };

  const checkConnected = (subject: string) => {
    if (!link.connected) throw new BusError('closed', subject);
  };
  const encode = (subject: string, body: unknown) => {
    const text = encodeBody(body);
    if (!fits(text, link.max_payload)) throw new BusError('too_large', subject);
    return text;
  };

  return {
    get max_payload() {
      return link.max_payload;
    },
    get connected() {
      return link.connected;
    },

    async request<T>(
      subject: string,
      body: unknown,
      { timeout_ms, headers, signal }: Parameters<Bus['request']>[2],
    ) {
      checkSubject(subject);
      checkConnected(subject);
      const text = encode(subject, body);
      const deadline_at = timestampOf(Date.now() + timeout_ms);
      const sent = toNatsHeaders({ ...pickHeaders(headers, subject), deadline_at });
      const pending = new PendingReply(subject, { timeout_ms, signal }, link.forget);
      if (!pending.settled) link.send(link.wire(subject), text, sent, pending);
      return pending.promise as Promise<T>;
    },

    publish(subject, body, headers) {
      checkSubject(subject);
      if (nc.isClosed()) throw new BusError('closed', subject);
      const text = encode(subject, body);
      const sent = toNatsHeaders(pickHeaders(headers, subject));
      if (link.connected) nc.publish(link.wire(subject), text, { headers: sent });
      else log.warn({ subject }, 'disconnected: event dropped');
    },

    serve(subject, serve_options, handler) {
      checkPattern(subject);
      if (nc.isClosed()) throw new BusError('closed', subject);
      const server = createServer({ options: serve_options, handler, max_payload: () => link.max_payload });
      const subscription = nc.subscribe(link.wire(subject), {
        queue: serve_options.queue,
        callback(error, msg) {
          if (error)
            return void log.error({ err: error, subject }, 'the broker does not let this user serve there');
          const reply = msg.reply ? (text: string) => respond(link, msg.reply!, text) : undefined;
          const { subject: wire_subject, data } = msg;
          server.accept({
            subject: link.unwire(wire_subject),
            headers: fromNatsHeaders(msg),
            text: textOf(data),
            reply,
          });
        },
      });
      const served = stoppable(link, subscription, (left_ms) => server.drain(left_ms), stopped);
      keep(served);
      return Object.assign(served, { holds: server.holds });
    },

    subscribe(subject, handler) {
      checkPattern(subject);
      if (nc.isClosed()) throw new BusError('closed', subject);
      const subscription = nc.subscribe(link.wire(subject), {
        callback(error, msg) {
          if (error)
            return void log.error(
              { err: error, subject },
              'the broker does not let this user subscribe there',
            );
          const from = link.unwire(msg.subject);
          try {
            handler(decodeBody(textOf(msg.data) ?? '?'), from);
          } catch (failure) {
            log.error({ err: failure, subject: from }, 'event handler failed');
          }
        },
      });
      return keep(stoppable(link, subscription, async () => {}, stopped));
    },

    async append(subject, body, { msg_id, timeout_ms }) {
      checkSubject(subject);
      checkConnected(subject);
      checkHeaderValue(msg_id, subject);
      await appendNats(link, subject, encode(subject, body), { msg_id, timeout_ms });
    },

    async consume(consume_options, handler) {
      for (const pattern of consume_options.subjects) checkPattern(pattern);
      checkConnected(consume_options.stream);
      return keep(await consumeNats({ link, settings: options.streams ?? {} }, consume_options, handler));
    },

    async close() {
      await Promise.all([...subscriptions].map((subscription) => subscription.stop(0)));
      link.failAll();
      if (link.connected) await within(nc.flush(), 1_000);
      await nc.close();
    },
  };
}

/** A reply to a caller who has gone, or over a connection that has, is nobody's error. */
function respond(link: NatsLink, reply: string, text: string): void {
  if (!link.connected) return void link.log.warn({}, 'disconnected: reply dropped');
  link.nc.publish(reply, text);
}

/** Stops one subscription: the server sends no more, what has arrived is still handled, replies leave; all of it within the bound. */
function stoppable(
  link: NatsLink,
  subscription: NatsSubscription,
  drain: (left_ms: number) => Promise<void>,
  onStopped: (subscription: Subscription) => void,
): Subscription {
  let stopping: Promise<void> | undefined;
  async function stop(timeout_ms: number): Promise<void> {
    const ends_at = Date.now() + timeout_ms;
    if (link.connected && timeout_ms > 0) await within(subscription.drain(), timeout_ms);
    subscription.unsubscribe();
    await drain(Math.max(ends_at - Date.now(), 0));
    if (link.connected && timeout_ms > 0) await within(link.nc.flush(), Math.max(ends_at - Date.now(), 100));
    onStopped(self);
  }
  const self: Subscription = { stop: (timeout_ms = 5_000) => (stopping ??= stop(timeout_ms)) };
  return self;
}

async function firstConnection(options: NatsOptions, log: BusLog): Promise<NatsConnection> {
  const wait_ms = options.reconnect_wait_ms ?? 500;
  const ends_at = Date.now() + (options.first_connect_ms ?? 0);
  for (;;) {
    try {
      return await connect({
        servers: options.url.split(','),
        user: options.user,
        pass: options.password,
        name: options.name,
        inboxPrefix: options.inbox_prefix,
        // Asked for by the address, TLS is demanded: the library alone would go on in the clear if the server offers none.
        tls: options.tls || options.url.startsWith('tls:') ? { caFile: options.tls?.ca_file } : undefined,
        maxReconnectAttempts: -1,
        reconnectTimeWait: wait_ms,
        reconnectJitter: 2 * wait_ms,
        reconnectJitterTLS: 2 * wait_ms,
        pingInterval: PING_INTERVAL_MS,
        // A broker that is reloading its users may refuse us twice in a row; giving up for ever would need a restart by hand.
        ignoreAuthErrorAbort: true,
        noAsyncTraces: true,
      });
    } catch (error) {
      const refused = error instanceof Error && error.name === 'AuthorizationError';
      log.warn({ err: error, name: options.name }, 'no connection to the bus');
      if (Date.now() + wait_ms >= ends_at) throw new BusError(refused ? 'forbidden' : 'closed', options.name);
      await new Promise((resolve) => setTimeout(resolve, wait_ms));
    }
  }
}

export type { StreamSettings };
