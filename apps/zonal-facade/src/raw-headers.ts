import type { IncomingMessage } from 'node:http';

/** How often a header line was sent. Node keeps only the first of some names, and what it dropped may be the one that counts. */
export function timesSent(req: IncomingMessage, name: string): number {
  const raw = req.rawHeaders;
  let times = 0;
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]!.length === name.length && raw[i]!.toLowerCase() === name) times++;
  }
  return times;
}

/** A header as one string; of a repeated one the first. */
export function headerOf(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
