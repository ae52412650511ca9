import {
  createInbox,
  MsgHdrsImpl,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
} from '@nats-io/transport-node';
import { textOf } from './body.js';
import { HEADER_NAMES, HEADER_ROOM } from './headers.js';
import type { PendingReply } from './pending-reply.js';
import type { BusHeaders } from './port.js';
import type { BusLog } from './serve.js';

/** One connection with what every part of the NATS bus needs of it. */
export interface NatsLink {
  readonly nc: NatsConnection;
  readonly log: BusLog;
  readonly inbox_prefix: string;
  readonly connected: boolean;
  /** Largest body; a reconnect may lead to a server with another limit. */
  readonly max_payload: number;
  /** The name on the wire of a subject of ours. */
  wire(subject: string): string;
  unwire(subject: string): string;
  /** The name of a stream of ours, which can't hold dots. */
  stream(name: string): string;
  /** Publishes with a reply inbox; the request is settled by the reply, a fault, or on its own. */
  send(subject: string, text: string, headers: MsgHdrs | undefined, pending: PendingReply): void;
  readonly forget: (pending: PendingReply) => void;
  /** Calls back after each reconnect, until the returned function is called. */
  onReconnect(callback: () => void): () => void;
  /** Fails every request on its way. */
  failAll(): void;
}

interface LinkOptions {
  readonly nc: NatsConnection;
  readonly log: BusLog;
  readonly inbox_prefix: string;
  readonly subject_prefix: string | undefined;
}

/**
 * Watches a connection and matches replies to requests over one inbox subscription. The client library's own `request` has no abort
 * and its timers and traces cost a third of a request's time, so the matching is done here.
 */
export function createLink({ nc, log, inbox_prefix, subject_prefix }: LinkOptions): NatsLink {
  const inbox = createInbox(inbox_prefix);
  const waiting = new Map<string, PendingReply>();
  const tokens = new Map<PendingReply, string>();
  const reconnected = new Set<() => void>();
  const prefix = subject_prefix === undefined ? '' : `${subject_prefix}.`;
  let connected = true;
  let inbox_refused = false;
  let count = 0;
  let max_payload = 0;

  nc.subscribe(`${inbox}.*`, {
    callback(error, msg) {
      if (error) {
        inbox_refused = true;
        log.error({ err: error, inbox_prefix }, 'reply inbox refused: the inbox prefix is not this user’s');
        for (const pending of waiting.values()) pending.fail('forbidden');
        return;
      }
      const pending = waiting.get(msg.subject.slice(inbox.length + 1));
      if (!pending) return;
      if (msg.data.length === 0 && msg.headers?.code === 503) pending.fail('no_responders');
      else pending.take(textOf(msg.data) ?? '');
    },
  });

  function refused(error: Error): void {
    const { operation, subject } = error as { operation?: string; subject?: string };
    if (operation !== 'publish') return;
    log.error({ subject }, 'the broker does not let this user publish there');
    for (const pending of waiting.values())
      if (prefix + pending.subject === subject) pending.fail('forbidden');
  }

  async function watch(): Promise<void> {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect') {
        if (connected) log.warn({}, 'bus disconnected');
        connected = false;
      } else if (status.type === 'reconnect') {
        connected = true;
        log.info({}, 'bus connected again');
        for (const callback of reconnected) callback();
      } else if (status.type === 'error') {
        if (status.error.name === 'PermissionViolationError') refused(status.error);
        else log.error({ err: status.error }, 'bus error');
      } else if (status.type === 'close') connected = false;
    }
  }
  void watch();

  return {
    nc,
    log,
    inbox_prefix,
    get connected() {
      return connected && !nc.isClosed();
    },
    get max_payload() {
      max_payload = nc.info?.max_payload ?? max_payload;
      return max_payload - HEADER_ROOM;
    },
    wire: (subject) => prefix + subject,
    unwire: (subject) => subject.slice(prefix.length),
    stream: (name) => prefix.replaceAll('.', '_') + name,
    send(subject, text, headers, pending) {
      if (inbox_refused) return pending.fail('forbidden');
      const token = (count += 1).toString(36);
      waiting.set(token, pending);
      tokens.set(pending, token);
      try {
        nc.publish(subject, text, { reply: `${inbox}.${token}`, headers });
      } catch (error) {
        log.warn({ err: error, subject }, 'request not sent');
        pending.fail('closed');
      }
    },
    forget(pending) {
      const token = tokens.get(pending);
      if (token === undefined) return;
      tokens.delete(pending);
      waiting.delete(token);
    },
    onReconnect(callback) {
      reconnected.add(callback);
      return () => void reconnected.delete(callback);
    },
    failAll() {
      for (const pending of waiting.values()) pending.fail('closed');
    },
  };
}

/** Our checked headers as NATS headers, or none. */
export function toNatsHeaders(headers: BusHeaders): MsgHdrs | undefined {
  const record = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  return Object.keys(record).length === 0 ? undefined : MsgHdrsImpl.fromRecord(record);
}

export function fromNatsHeaders(msg: Msg): BusHeaders {
  const headers: Record<string, string> = {};
  const sent = msg.headers;
  if (!sent) return headers;
  for (const name of HEADER_NAMES) {
    const value = sent.get(name);
    if (value !== '') headers[name] = value;
  }
  return headers;
}
