import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { deadline } from '../deadline.js';
import { bothFamilies, NEXT_ADDRESS_MS } from './addresses.js';
import { faultOf, since, type ProbeResult } from './probe-result.js';

/** Bytes of a body that are read; a server that sends more has answered. */
export const BODY_CAP = 64 * 1024;

export interface HttpProbe {
  readonly url: string;
  /** Default: any 2xx. */
  readonly expect_status?: number | undefined;
  readonly timeout_ms: number;
  /** PEM of the authority to trust instead of the public ones. */
  readonly ca?: string | undefined;
}

interface Answer {
  readonly http_status: number;
  readonly location: string | undefined;
  readonly body_bytes: number;
  readonly body_complete: boolean;
  readonly address: string | undefined;
}

/**
 * Asks a URL once with GET. Redirects are not followed (field case F23): the first status is the answer. The time bound covers the last
 * byte, the body is read up to a cap (F24), and the socket is closed in every case.
 */
export async function probeHttp(probe: HttpProbe, signal: AbortSignal): Promise<ProbeResult> {
  const began = performance.now();
  const url = new URL(probe.url);
  const shown = { url: shownUrl(url) };
  const bound = deadline(signal, probe.timeout_ms);
  try {
    const { location, ...answer } = await ask(url, probe.ca, bound.signal);
    const ok =
      probe.expect_status === undefined
        ? answer.http_status >= 200 && answer.http_status < 300
        : answer.http_status === probe.expect_status;
    return {
      ok,
      status: ok ? 'ok' : 'failed',
      latency_ms: since(began),
      reason: ok ? null : `status ${answer.http_status}`,
      evidence: { ...shown, ...answer, ...(location !== undefined && { location }) },
    };
  } catch (error) {
    if (bound.signal.aborted)
      return { ok: false, status: 'timeout', latency_ms: since(began), reason: 'timeout', evidence: shown };
    const { reason, tls_error } = faultOf(error);
    const evidence = { ...shown, ...(tls_error !== undefined && { tls_error }) };
    return { ok: false, status: 'failed', latency_ms: since(began), reason, evidence };
  } finally {
    bound.end();
  }
}

function ask(url: URL, ca: string | undefined, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // No agent: no pooled socket outlives the probe, and `signal` reaches the socket whatever it is doing.
    const options: RequestOptions & { autoSelectFamily: boolean; autoSelectFamilyAttemptTimeout: number } = {
      agent: false,
      signal,
      ...(ca !== undefined && { ca }),
      lookup: bothFamilies,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      headers: { accept: '*/*', connection: 'close', 'user-agent': 'adaos-agent-healthcheck' },
    };
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
    let address: string | undefined;
    request.on('socket', (socket: Socket) => socket.once('connect', () => (address = socket.remoteAddress)));
    // Not once: a socket cut short may report twice, and an unheard error ends the process.
    request.on('error', reject);
    request.once('response', (response) => {
      readBody(response, signal).then(
        (body) => {
          resolve({
            http_status: response.statusCode ?? 0,
            location: locationOf(response),
            ...body,
            address,
          });
          request.destroy();
        },
        (error: unknown) => {
          request.destroy();
          reject(error as Error);
        },
      );
    });
    request.end();
  });
}

async function readBody(response: IncomingMessage, signal: AbortSignal) {
  let body_bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    body_bytes += chunk.length;
    if (body_bytes > BODY_CAP) return { body_bytes: BODY_CAP, body_complete: false };
    signal.throwIfAborted();
  }
  return { body_bytes, body_complete: response.complete };
}

/** Where a redirect would have led, without query: a login redirect may carry a token in it. */
function locationOf(response: IncomingMessage): string | undefined {
  return response.headers.location?.split(/[?#]/)[0]?.slice(0, 300);
}

const shownUrl = (url: URL) => `${url.protocol}//${url.host}${url.pathname}`;
