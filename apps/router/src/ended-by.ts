import { OpError } from '@adaos/contracts';
import type { EndReason } from './in-flight.js';

/** The error an early end stands for. */
export function endedBy(signal: AbortSignal): OpError {
  const reason = signal.reason as EndReason;
  return reason === 'lease_revoked' ? new OpError('lease_revoked') : new OpError('cancelled', { reason });
}
