import type { IncomingMessage } from 'node:http';

const LABELS = new WeakMap<IncomingMessage, string>();

/** Names the route template a request was served by, for metrics; a path as sent could hold anything. */
export const labelRoute = (req: IncomingMessage, template: string) => void LABELS.set(req, template);
export const routeOf = (req: IncomingMessage) => LABELS.get(req) ?? 'other';
