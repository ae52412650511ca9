import { randomBytes } from 'node:crypto';

// W3C Trace Context, section 3.2: version ff and ids of zeros are invalid; a later version may append members, 00 may not.
const TRACEPARENT =
  /^(?:00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?)$/;

/** The trace id of a W3C traceparent header, or null when it is malformed: the trace then starts here. */
export function traceIdOf(header: string | undefined): string | null {
  const match = header === undefined ? null : TRACEPARENT.exec(header);
  return match?.[1] ?? match?.[2] ?? null;
}

/** A traceparent for the next hop of a trace. */
export const traceparentOf = (trace_id: string) => `00-${trace_id}-${randomBytes(8).toString('hex')}-01`;
