import { readFile } from 'node:fs/promises';
import { OpError } from '@adaos/contracts';
import type { HealthCheck } from '../../agent-config.js';
import { deadline } from '../../deadline.js';
import { probeHttp } from '../../probes/http-probe.js';
import type { ProbeResult } from '../../probes/probe-result.js';
import { probeTcp } from '../../probes/tcp-probe.js';
import type { Supervisor } from '../../supervisor/supervisor.js';
import type { Adapter, AdapterContext } from '../adapter.js';

/** hub.run_healthchecks: the configured checks, or some of them by name, all at once; each is bounded by itself and by the call. */
export const healthchecks: Adapter = {
  tool_id: 'hub.run_healthchecks',
  adapter: 'healthchecks',
  async run(args, context) {
    const wanted = chosen(args['checks'] as readonly string[] | undefined, context);
    // Ends before the call does: what the other checks found is worth more than a timeout of the whole.
    const total = deadline(context.signal, context.timeout_ms * 0.9);
    try {
      const checks = await Promise.all(
        wanted.map(async (check) => ({
          name: check.name,
          kind: check.kind,
          ...(await runCheck(check, total.signal, context.supervisor)),
        })),
      );
      return {
        output: { overall: overallOf(checks), checks, at: context.clock.iso() },
        complete: !total.signal.aborted,
      };
    } finally {
      total.end();
    }
  },
};

function chosen(names: readonly string[] | undefined, { config }: AdapterContext): HealthCheck[] {
  const checks = config.health_checks as HealthCheck[];
  if (!names) return checks;
  return [...new Set(names)].map((name) => {
    const check = checks.find((one) => one.name === name);
    if (!check)
      throw new OpError('invalid_argument', { path: '/checks', check: name }, 'No such health check.');
    return check;
  });
}

async function runCheck(
  check: HealthCheck,
  signal: AbortSignal,
  supervisor: Supervisor,
): Promise<ProbeResult> {
  if (check.kind === 'tcp') return probeTcp(check, signal);
  if (check.kind === 'service') return serviceState(check.service, supervisor);
  if (check.ca_file === undefined) return probeHttp(check, signal);
  const ca = await readFile(check.ca_file, 'utf8').catch(() => null);
  if (ca !== null) return probeHttp({ ...check, ca }, signal);
  return { ok: false, status: 'failed', latency_ms: 0, reason: 'ca_file cannot be read', evidence: {} };
}

function serviceState(name: string, supervisor: Supervisor): ProbeResult {
  const view = supervisor.find(name)?.view();
  const ok = view?.state === 'running';
  return {
    ok,
    status: ok ? 'ok' : 'failed',
    latency_ms: 0,
    reason: ok ? null : `service is ${view?.state ?? 'unknown'}`,
    evidence: { state: view?.state ?? null, pid: view?.pid ?? null, restarts: view?.restarts ?? null },
  };
}

function overallOf(
  checks: readonly { readonly ok: boolean }[],
): 'healthy' | 'degraded' | 'unhealthy' | 'unknown' {
  const good = checks.filter((check) => check.ok).length;
  if (!checks.length) return 'unknown';
  if (good === checks.length) return 'healthy';
  return good === 0 ? 'unhealthy' : 'degraded';
}
