import { createInbox, nanos, type Msg } from '@nats-io/transport-node';
import { decodeBody, textOf } from './body.js';
import { ACK_WAIT_MS, ensureStream, type StreamSettings } from './nats-streams.js';
import type { NatsLink } from './nats-link.js';
import type { ConsumeOptions, StreamMessage, Subscription } from './port.js';
import { redeliveryDelay } from './redelivery.js';
import { within } from './within.js';

/**
 * A pull request waits this long at the server; messages come the moment they are stored, so it costs no latency. A pull can't be taken
 * back, and what the server has already picked for one whose inbox is gone comes again only after its ack wait: a stop waits for the end.
 */
const PULL_MS = 1_000;
/** Silence this long beyond a pull's time means that the pull, or its end, was lost. */
const SILENCE_MS = 2_000;
const TICK_MS = 1_000;

interface Deps {
  readonly link: NatsLink;
  readonly settings: StreamSettings;
}

/**
 * A durable pull consumer. What has arrived when the handler is free becomes one batch: a message alone is handed over at once, a burst is
 * committed in one go. At most one batch waits while another is committed, so a slow database pushes back on the stream, not on memory.
 * Acks aren't acknowledged: a lost one brings the message again, which the handler must tolerate anyway. Throws as `ensureStream` does.
 */
export async function consumeNats(
  { link, settings }: Deps,
  options: ConsumeOptions,
  handler: (batch: readonly StreamMessage[]) => Promise<void>,
): Promise<Subscription> {
  const { nc, log } = link;
  const { max_batch } = options;
  await ensureStream(link, options, settings);

  const inbox = createInbox(link.inbox_prefix);
  const next = `$JS.API.CONSUMER.MSG.NEXT.${link.stream(options.stream)}.${options.durable}`;
  /** By stream sequence: a second delivery of what we still have replaces it. */
  const held = new Map<number, Msg>();
  const handed = new Map<number, Msg>();
  let state: 'idle' | 'scheduled' | 'at_work' | 'paused' = 'idle';
  let at_work = Promise.resolve();
  let pause: NodeJS.Timeout | undefined;
  let failures = 0;
  let stopping: Promise<void> | undefined;
  let pulling: 'no' | 'yes' | 'broken' | 'repairing' = 'no';
  let pull_number = 0;
  let expected = 0;
  let repair_at = Infinity;
  let repairs_failed = 0;
  let told_at = Date.now();
  let onPullEnd: (() => void) | undefined;

  function answer(msg: Msg, verdict: string): void {
    if (!nc.isClosed()) msg.respond(verdict);
  }

  function pull(): void {
    if (stopping || pulling !== 'no' || held.size >= max_batch || !link.connected) return;
    pulling = 'yes';
    expected = max_batch - held.size;
    pull_number += 1;
    repair_at = Date.now() + PULL_MS + SILENCE_MS;
    const request = { batch: expected, expires: nanos(PULL_MS) };
    nc.publish(next, JSON.stringify(request), { reply: `${inbox}.${pull_number}` });
  }

  /** After a reconnect, a lost pull or a refusal: the stream or the consumer may have gone with the server's disk. */
  async function repair(): Promise<void> {
    if (pulling === 'repairing' || stopping || !link.connected) return;
    pulling = 'repairing';
    try {
      await ensureStream(link, options, settings);
      pulling = 'no';
      repairs_failed = 0;
    } catch {
      // logged there; the server may still be starting
      pulling = 'broken';
      repairs_failed += 1;
      repair_at = Date.now() + redeliveryDelay(repairs_failed);
    }
    pull();
  }

  function wake(): void {
    if (state !== 'idle' || held.size === 0 || stopping) return;
    state = 'scheduled';
    queueMicrotask(() => (at_work = hand()));
  }

  async function hand(): Promise<void> {
    if (stopping) return;
    state = 'at_work';
    for (const [seq, msg] of held) {
      if (handed.size >= max_batch) break;
      held.delete(seq);
      handed.set(seq, msg);
    }
    pull();
    try {
      await handler([...handed.values()].map((msg) => toMessage(link, options.stream, msg)));
      failures = 0;
      for (const msg of handed.values()) answer(msg, '+ACK');
      state = 'idle';
    } catch (error) {
      failures += 1;
      const pause_ms = redeliveryDelay(failures);
      log.warn(
        { err: error, stream: options.stream, messages: handed.size, pause_ms },
        'batch not committed',
      );
      for (const msg of handed.values()) answer(msg, `-NAK ${JSON.stringify({ delay: nanos(pause_ms) })}`);
      state = 'paused';
      pause = setTimeout(resume, pause_ms);
    }
    handed.clear();
    wake();
  }

  function resume(): void {
    state = 'idle';
    wake();
  }

  function tick(): void {
    if (Date.now() - told_at >= ACK_WAIT_MS / 3) {
      told_at = Date.now();
      for (const msg of [...held.values(), ...handed.values()]) answer(msg, '+WPI');
    }
    if (pulling !== 'no' && Date.now() >= repair_at) void repair();
    else pull();
  }

  function onMessage(seq: number, msg: Msg): void {
    expected -= 1;
    if (expected <= 0 && pulling === 'yes') pulling = 'no';
    if (!handed.has(seq)) held.set(seq, msg);
    wake();
    pull();
    if (pulling !== 'yes') onPullEnd?.();
  }

  /** 404 and 408 are the ordinary ends of a pull; anything else (503: no consumer, 409: deleted) needs a look. */
  function onStatus(code: number | undefined): void {
    if (pulling !== 'yes') return;
    pulling = code === 404 || code === 408 ? 'no' : 'broken';
    repair_at = Date.now();
    pull();
    onPullEnd?.();
  }

  const subscription = nc.subscribe(`${inbox}.*`, {
    callback(error, msg) {
      if (error) return void log.error({ err: error }, 'the broker does not let this user pull');
      const delivery = deliveryOf(msg);
      if (delivery) onMessage(delivery.seq, msg);
      else if (msg.subject === `${inbox}.${pull_number}`) onStatus(msg.headers?.code);
    },
  });
  const forget = link.onReconnect(() => void repair());
  const timer = setInterval(tick, TICK_MS);
  pull();

  async function stop(timeout_ms: number): Promise<void> {
    const ends_at = Date.now() + timeout_ms;
    clearInterval(timer);
    clearTimeout(pause);
    forget();
    if (link.connected && timeout_ms > 0) {
      const pull_ended = new Promise<void>((resolve) => (onPullEnd = resolve));
      if (pulling === 'yes') await within(pull_ended, Math.min(timeout_ms, PULL_MS + SILENCE_MS));
      await within(subscription.drain(), Math.max(ends_at - Date.now(), 100));
    }
    subscription.unsubscribe();
    for (const msg of held.values()) answer(msg, '-NAK');
    await within(at_work, Math.max(ends_at - Date.now(), 0));
    if (link.connected) await within(nc.flush(), Math.max(ends_at - Date.now(), 100));
  }
  return { stop: (timeout_ms = 5_000) => (stopping ??= stop(timeout_ms)) };
}

/** Where JetStream's ack subject holds count and sequence: `$JS.ACK.<stream>.<consumer>.<count>.<seq>…`, with two more in a domain. */
function deliveryOf(msg: Msg): { count: number; seq: number } | null {
  const tokens = (msg.reply ?? '').split('.');
  if (tokens[0] !== '$JS' || tokens[1] !== 'ACK') return null;
  const at = tokens.length === 9 ? 4 : 6;
  return { count: Number(tokens[at]), seq: Number(tokens[at + 1]) };
}

function toMessage(link: NatsLink, stream: string, msg: Msg): StreamMessage {
  const { count, seq } = deliveryOf(msg)!;
  const subject = link.unwire(msg.subject);
  const msg_id = msg.headers?.get('Nats-Msg-Id') || `${stream}:${seq}`;
  let body: unknown;
  try {
    body = decodeBody(textOf(msg.data) ?? '?');
  } catch {
    link.log.error({ subject, msg_id }, 'a stored message is not JSON');
  }
  return { subject, body, msg_id, redelivered: count > 1 };
}
