import { ERRORS, fromErrorBody, OpError, toErrorBody } from '@adaos/contracts';
import { decodeBody, encodeBody, fits } from './body.js';

/** `{ok:true,value}` around a result of at most `limit` bytes. Throws OpError result_too_large (field case F26). */
export function okReply(value: unknown, limit: number): string {
  const text = encodeBody(value);
  if (!fits(text, limit)) throw new OpError('result_too_large', { limit_bytes: limit });
  return text === '' ? '{"ok":true}' : `{"ok":true,"value":${text}}`;
}

/** `{ok:false,error}`. Details that don't fit or aren't JSON are left out: the code must get through. */
export function errorReply(error: unknown, limit: number): string {
  const body = toErrorBody(error);
  const bare = JSON.stringify({ ok: false, error: { code: body.code, message: ERRORS[body.code].message } });
  try {
    const text = JSON.stringify({ ok: false, error: body });
    return fits(text, limit) ? text : bare;
  } catch {
    return bare;
  }
}

/** The value of a reply, or throws the OpError it carries. A reply that isn't one of ours is `internal`. */
export function readReply(text: string): unknown {
  let reply: { ok?: unknown; value?: unknown; error?: unknown } | null;
  try {
    reply = decodeBody(text) as typeof reply;
  } catch {
    throw new OpError('internal', { reason: 'reply_not_json' });
  }
  if (reply?.ok === true) return reply.value;
  throw fromErrorBody(typeof reply?.error === 'object' && reply.error !== null ? reply.error : {});
}
