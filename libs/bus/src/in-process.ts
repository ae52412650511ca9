import type { BusUser } from '@adaos/contracts';
import { decodeBody, encodeBody, fits } from './body.js';
import { createDelivery } from './delivery.js';
import { checkHeaderValue, pickHeaders, timestampOf } from './headers.js';
import { createRoutes, nextServer, type Receiver } from './in-process-routes.js';
import { createStreams } from './in-process-streams.js';
import { PendingReply } from './pending-reply.js';
import { busPermissions, type BusPermissions } from './permissions.js';
import { BusError, type Bus, type BusHeaders, type Subscription } from './port.js';
import { createServer, type BusLog } from './serve.js';
import { checkPattern, checkSubject, covers } from './subject.js';

export interface InProcessOptions {
  /** Largest body in bytes; default 1 MiB, as a NATS server has it. */
  readonly max_payload?: number;
  /** Default true: what the subject table doesn't allow a user fails here as it does on the broker. */
  readonly enforce_permissions?: boolean;
  readonly log?: BusLog;
  /** Epoch milliseconds, for the dedupe window. */
  readonly now?: () => number;
}

export interface InProcessBroker {
  /** A connection of one bus user. Throws TypeError for a hub without a valid id. */
  connect(user: BusUser, hub_id?: string): Bus;
  /** Closes every connection; what waits fails with `closed`. */
  close(): Promise<void>;
}

const DEFAULT_MAX_PAYLOAD = 1024 * 1024;
const MAX_CHECKED = 4096;
const quiet: BusLog = { info() {}, warn() {}, error() {} };

/** NATS within one process: the same limits, permissions and faults, every body through JSON, and no port to open. */
export function createInProcessBroker(options: InProcessOptions = {}): InProcessBroker {
  const { max_payload = DEFAULT_MAX_PAYLOAD, enforce_permissions = true, log = quiet } = options;
  const routes = createRoutes();
  const streams = createStreams({ log, now: options.now ?? Date.now });
  const deliver = createDelivery();
  const connections = new Set<Bus>();

  function encode(subject: string, body: unknown): string {
    const text = encodeBody(body);
    if (!fits(text, max_payload)) throw new BusError('too_large', subject);
    return text;
  }

  /** False when nobody listens. */
  function send(subject: string, text: string, headers: BusHeaders, reply?: (text: string) => void): boolean {
    const { groups, listeners } = routes.route(subject);
    for (const listener of listeners) deliver(() => listener(text, subject));
    for (const group of groups) {
      const server = nextServer(group);
      deliver(() => server.accept({ subject, headers, text, reply }));
    }
    return groups.length + listeners.length > 0;
  }

  function connect(user: BusUser, hub_id?: string): Bus {
    const permissions = enforce_permissions ? busPermissions(user, hub_id) : null;
    const mayPublish = createCheck(permissions);
    const pending = new Set<PendingReply>();
    const forget = (request: PendingReply) => void pending.delete(request);
    const subscriptions = new Set<Subscription>();
    let open = true;

    const checkOpen = (subject: string) => {
      if (!open) throw new BusError('closed', subject);
    };
    const checkPermitted = (allowed: readonly string[] | undefined, pattern: string) => {
      if (allowed && !allowed.some((wide) => covers(wide, pattern))) throw new BusError('forbidden', pattern);
    };

    function receive(receiver: Receiver, drain: (timeout_ms: number) => Promise<void>): Subscription {
      routes.add(receiver);
      let stopping: Promise<void> | undefined;
      const subscription: Subscription = {
        stop(timeout_ms = 5_000) {
          routes.remove(receiver);
          subscriptions.delete(subscription);
          // What was sent before the stop is on its way and still counts as received.
          return (stopping ??= new Promise<void>(deliver).then(() => drain(timeout_ms)));
        },
      };
      subscriptions.add(subscription);
      return subscription;
    }

    const bus: Bus = {
      max_payload,
      get connected() {
        return open;
      },

      async request<T>(
        subject: string,
        body: unknown,
        { timeout_ms, headers, signal }: Parameters<Bus['request']>[2],
      ) {
        checkOpen(subject);
        mayPublish(subject);
        const text = encode(subject, body);
        const deadline_at = timestampOf(Date.now() + timeout_ms);
        const sent = { ...pickHeaders(headers, subject), deadline_at };
        const request = new PendingReply(subject, { timeout_ms, signal }, forget);
        if (!request.settled) {
          pending.add(request);
          if (!send(subject, text, sent, (reply) => deliver(() => request.take(reply))))
            request.fail('no_responders');
        }
        return request.promise as Promise<T>;
      },

      publish(subject, body, headers) {
        checkOpen(subject);
        mayPublish(subject);
        send(subject, encode(subject, body), pickHeaders(headers, subject));
      },

      serve(subject, serve_options, handler) {
        checkOpen(subject);
        checkPattern(subject);
        checkPermitted(permissions?.subscribe, subject);
        const server = createServer({ options: serve_options, handler, max_payload: () => max_payload });
        const queue = serve_options.queue;
        const served = receive({ pattern: subject, queue, server }, (timeout_ms) => server.drain(timeout_ms));
        return Object.assign(served, { holds: server.holds });
      },

      subscribe(subject, handler) {
        checkOpen(subject);
        checkPattern(subject);
        checkPermitted(permissions?.subscribe, subject);
        const listener = (text: string, from: string) => {
          try {
            handler(decodeBody(text), from);
          } catch (error) {
            log.error({ err: error, subject: from }, 'event handler failed');
          }
        };
        return receive({ pattern: subject, listener }, async () => {});
      },

      async append(subject, body, { msg_id, timeout_ms }) {
        checkOpen(subject);
        mayPublish(subject);
        checkHeaderValue(msg_id, subject);
        return streams.append(subject, encode(subject, body), msg_id, timeout_ms);
      },

      async consume(consume_options, handler) {
        checkOpen(consume_options.stream);
        for (const pattern of consume_options.subjects) {
          checkPattern(pattern);
          checkPermitted(permissions?.consume, pattern);
        }
        const consumer = streams.consume(consume_options, handler);
        subscriptions.add(consumer);
        return consumer;
      },

      async close() {
        open = false;
        connections.delete(bus);
        for (const request of pending) request.fail('closed');
        await Promise.all([...subscriptions].map((subscription) => subscription.stop(0)));
      },
    };
    connections.add(bus);
    return bus;
  }

  return {
    connect,
    async close() {
      await Promise.all([...connections].map((bus) => bus.close()));
      streams.close();
    },
  };
}

/** Checks a literal subject once; what passed is remembered, since a zone speaks on the same few subjects all day. */
function createCheck(permissions: BusPermissions | null): (subject: string) => void {
  const passed = new Set<string>();
  return (subject) => {
    if (passed.has(subject)) return;
    checkSubject(subject);
    if (permissions && !permissions.publish.some((allowed) => covers(allowed, subject)))
      throw new BusError('forbidden', subject);
    if (passed.size >= MAX_CHECKED) passed.clear();
    passed.add(subject);
  };
}
