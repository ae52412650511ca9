import type { ReadyCheck } from '../agent-config.js';
import { probeHttp } from './http-probe.js';
import { probeTcp } from './tcp-probe.js';

/** Milliseconds one look at readiness may take. */
const TIMEOUT_MS = 1_000;

/** Whether a started service answers as its configuration says it should. */
export async function isReady(check: ReadyCheck, signal: AbortSignal): Promise<boolean> {
  if (check.http !== undefined)
    return (await probeHttp({ url: check.http, timeout_ms: TIMEOUT_MS }, signal)).ok;
  if (check.tcp) return (await probeTcp({ ...check.tcp, timeout_ms: TIMEOUT_MS }, signal)).ok;
  return true;
}
