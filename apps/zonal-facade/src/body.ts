import { OpError, parseStrictJson } from '@adaos/contracts';
import type { IncomingMessage } from 'node:http';
import type { Bounds } from './bounds.js';
import { timesSent } from './raw-headers.js';

type BodyBounds = Pick<Bounds, 'body_bytes' | 'discard_bytes' | 'body_timeout_ms'>;

/** A body that was not taken: with the HTTP status of the reason, and whether the connection still holds unread bytes. */
export class BodyError extends OpError {
  constructor(
    readonly http: 400 | 408 | 413 | 415,
    code: 'invalid_argument' | 'result_too_large' | 'deadline_exceeded',
    message: string,
    details?: Record<string, unknown>,
  ) {
    super(code, details, message);
  }
  /** After these the rest of the body may still come: the connection can't carry another request. */
  get closes(): boolean {
    return this.http === 408 || this.http === 413;
  }
}

// With another charset somebody else on the way may have read other letters (RFC 8259, section 8.1: always UTF-8).
const JSON_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;

/** Reads and parses one JSON body: the type first, then the bytes under the bounds, then the one strict parse. Throws BodyError. */
export async function readJson(req: IncomingMessage, bounds: BodyBounds): Promise<unknown> {
  const { 'content-type': type, 'content-encoding': encoding } = req.headers;
  if (type === undefined || !JSON_TYPE.test(type) || timesSent(req, 'content-type') > 1) {
    throw new BodyError(415, 'invalid_argument', 'The Content-Type must be application/json.', {
      rule: 'content_type',
    });
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    // Unpacked it could be any size, and whoever judged it on the way read other bytes than we would.
    throw new BodyError(415, 'invalid_argument', 'The body must be sent without Content-Encoding.', {
      rule: 'content_encoding',
    });
  }
  const bytes = await readBytes(req, bounds);
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof OpError)) throw error;
    throw new BodyError(400, 'invalid_argument', error.message, error.details);
  }
}

/** The whole body, at most `body_bytes` within `body_timeout_ms`. Throws BodyError 413 or 408. */
export function readBytes(req: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(
      () =>
        settle(
          new BodyError(408, 'deadline_exceeded', 'The body took too long to arrive.', {
            rule: 'body_timeout',
          }),
        ),
      bounds.body_timeout_ms,
    );
    const tooLarge = () =>
      new BodyError(413, 'result_too_large', `The body is over ${bounds.body_bytes} bytes.`, {
        rule: 'body_bytes',
        limit: bounds.body_bytes,
      });
    // A declared length no discarding could swallow is refused unread.
    if (Number(req.headers['content-length']) > bounds.body_bytes + bounds.discard_bytes)
      return settle(tooLarge());

    function settle(outcome: Buffer | BodyError): void {
      clearTimeout(timer);
      req.off('data', take);
      req.off('end', end);
      if (outcome instanceof BodyError) reject(outcome);
      else resolve(outcome);
    }
    function take(chunk: Buffer): void {
      size += chunk.length;
      if (size <= bounds.body_bytes) chunks.push(chunk);
      // Over the limit nothing more is kept, but the rest is drained: closing at once would reset the connection before the client
      // reads why.
      else if (size > bounds.body_bytes + bounds.discard_bytes) settle(tooLarge());
      else chunks.length = 0;
    }
    function end(): void {
      settle(size > bounds.body_bytes ? tooLarge() : Buffer.concat(chunks, size));
    }
    req.on('data', take);
    req.on('end', end);
  });
}
