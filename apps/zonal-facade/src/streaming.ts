import type { IncomingMessage } from 'node:http';

const LEAVE = new WeakMap<IncomingMessage, () => void>();

/** Says what to do once a request turns into a stream: it is then no longer counted among the requests under way. */
export const whenStreaming = (req: IncomingMessage, leave: () => void) => void LEAVE.set(req, leave);
/** The answer stays open from now on; its own cap counts it. */
export const streaming = (req: IncomingMessage) => LEAVE.get(req)?.();
