import { connect, type Socket } from 'node:net';
import { deadline } from '../deadline.js';
import { bothFamilies, NEXT_ADDRESS_MS } from './addresses.js';
import { faultOf, since, type ProbeResult } from './probe-result.js';

export interface TcpProbe {
  readonly host: string;
  readonly port: number;
  readonly timeout_ms: number;
}

/** Whether a port accepts a connection. Nothing is sent; the socket is closed in every case. */
export async function probeTcp(
  { host, port, timeout_ms }: TcpProbe,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const began = performance.now();
  const bound = deadline(signal, timeout_ms);
  const shown = { host, port };
  let socket: Socket | undefined;
  try {
    const address = await new Promise<string | undefined>((resolve, reject) => {
      bound.signal.throwIfAborted();
      bound.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      socket = connect({
        host: host.replace(/^\[(.*)\]$/, '$1'),
        port,
        lookup: bothFamilies,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      });
      socket.once('connect', () => resolve(socket!.remoteAddress));
      socket.once('error', reject);
    });
    return {
      ok: true,
      status: 'ok',
      latency_ms: since(began),
      reason: null,
      evidence: { ...shown, address },
    };
  } catch (error) {
    const reason = bound.signal.aborted ? 'timeout' : faultOf(error).reason;
    const status = bound.signal.aborted ? 'timeout' : 'failed';
    return { ok: false, status, latency_ms: since(began), reason, evidence: shown };
  } finally {
    bound.end();
    socket?.on('error', () => undefined);
    socket?.destroy();
  }
}
