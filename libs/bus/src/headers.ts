import { BusError, type BusHeaders } from './port.js';

export const HEADER_NAMES = ['request_id', 'traceparent', 'deadline_at'] as const;

/** A header value stands on a protocol line: printable ASCII without spaces, so that CR or LF can't start a line of its own. */
const VALUE = /^[\x21-\x7e]{1,200}$/;

/**
 * Bytes a broker's limit must leave beside the largest body: three headers and a message id of 200 characters with their names
 * (872), or the envelope of a reply (20).
 */
export const HEADER_ROOM = 1024;

/** Throws BusError bad_header on a value that can't travel. */
export function checkHeaderValue(value: string, subject: string): void {
  if (!VALUE.test(value)) throw new BusError('bad_header', subject);
}

/** The known headers that are set, checked; anything else a caller put in stays behind. */
export function pickHeaders(headers: BusHeaders | undefined, subject: string): BusHeaders {
  const picked: { -readonly [K in keyof BusHeaders]: BusHeaders[K] } = {};
  if (headers === undefined) return picked;
  for (const name of HEADER_NAMES) {
    const value = headers[name];
    if (value === undefined) continue;
    checkHeaderValue(value, subject);
    picked[name] = value;
  }
  return picked;
}

let second = -1;
let second_text = '';

/** RFC 3339 UTC with milliseconds; keeps the text of the current second, since Date's own formatting costs as much as a whole hop. */
export function timestampOf(epoch_ms: number): string {
  const whole = Math.floor(epoch_ms / 1000);
  if (whole !== second) {
    second = whole;
    second_text = new Date(whole * 1000).toISOString().slice(0, 20);
  }
  return `${second_text}${String(Math.floor(epoch_ms) - whole * 1000).padStart(3, '0')}Z`;
}
