import { randomBytes } from 'node:crypto';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id of a W3C traceparent header, or null when it is malformed or all zero. */
export function traceIdOf(header: string | undefined): string | null {
  const id = header && TRACEPARENT.exec(header)?.[1];
  return id && !/^0+$/.test(id) ? id : null;
}

/** A traceparent for the next hop of a trace. */
export const traceparentOf = (trace_id: string) => `00-${trace_id}-${randomBytes(8).toString('hex')}-01`;
