/** What a probe saw. `reason` is null exactly when it is ok; `evidence` shows no credentials. */
export interface ProbeResult {
  readonly ok: boolean;
  readonly status: 'ok' | 'failed' | 'timeout';
  readonly latency_ms: number;
  readonly reason: string | null;
  readonly evidence: Record<string, unknown>;
}

/** Error codes of TLS that say the certificate, not the network, is at fault (openssl-verify(1) names). */
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|INVALID_CA|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERROR_IN_CERT)/;

/** A network or TLS error by its code, never by its message. With several addresses, the first error that isn't a plain refusal. */
export function faultOf(error: unknown): { reason: string; tls_error?: string } {
  const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const codes = errors.map((one) => String((one as NodeJS.ErrnoException)?.code ?? 'UNKNOWN'));
  const code = codes.find((one) => one !== 'ECONNREFUSED') ?? codes[0] ?? 'UNKNOWN';
  if (CERTIFICATE.test(code)) return { reason: `certificate: ${code}`, tls_error: code };
  if (code === 'ECONNREFUSED') return { reason: 'connection refused' };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { reason: 'name not found' };
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return { reason: `tls: ${code}`, tls_error: code };
  return { reason: `connection failed: ${code}` };
}

/** Milliseconds since `began`, to a tenth. */
export const since = (began: number): number => Math.round((performance.now() - began) * 10) / 10;
