import { OpError } from '@adaos/contracts';
import type { Supervisor } from '../../supervisor/supervisor.js';
import type { Service } from '../../supervisor/service.js';
import type { Adapter } from '../adapter.js';
import { staysUp } from './stays-up.js';

/** Stop, start, watch. */
const STEPS = 3;

/** hub.restart_service: stop, start, and watch it for a while, since "active" at one instant is true of a crash loop (field case F22). */
export const restartService: Adapter = {
  tool_id: 'hub.restart_service',
  adapter: 'restart_service',
  allow: (args, { supervisor }) => void serviceOf(args, supervisor),
  async run(args, { supervisor, dry_run, signal, progress }) {
    const began = performance.now();
    const service = serviceOf(args, supervisor);
    const before = service.view();
    const answer = (rest: { would: string[]; after: unknown; healthy: boolean | null }) => ({
      output: {
        service: before.name,
        dry_run,
        before,
        ...rest,
        waited_ms: Math.round(performance.now() - began),
      },
      complete: true,
    });
    if (dry_run) return answer({ would: steps(service), after: null, healthy: null });
    // The last moment to give up: a service that is being stopped must come up again, cancelled or not.
    if (signal.aborted) throw new OpError('cancelled', { reason: 'not_begun' });
    progress({ progress: 0, total: STEPS, message: `stopping ${before.name}` });
    await service.stop();
    progress({ progress: 1, total: STEPS, message: `starting ${before.name}` });
    const fault = await service.start();
    if (fault !== null) throw new OpError('adapter_failed', { reason: fault, service: before.name });
    const { observe_ms } = service.config;
    progress({ progress: 2, total: STEPS, message: `watching ${before.name} for ${observe_ms} ms` });
    const healthy = await staysUp(service, supervisor);
    progress({ progress: STEPS, total: STEPS, message: healthy ? 'it stayed up' : 'it did not stay up' });
    return answer({ would: [], after: service.view(), healthy });
  },
};

/** The names of the configuration are the allowlist; there is no way to name anything else. */
function serviceOf(args: Readonly<Record<string, unknown>>, supervisor: Supervisor): Service {
  const service = supervisor.find(String(args['service']));
  if (!service)
    throw new OpError('forbidden', { reason: 'service' }, 'This hub does not offer that service.');
  return service;
}

function steps(service: Service): string[] {
  const { pid, state } = service.view();
  const { stop_timeout_ms, observe_ms, ready } = service.config;
  const stop = pid === null ? `find it not running (${state})` : `send SIGTERM to process group ${pid}`;
  return [
    stop,
    ...(pid === null ? [] : [`send SIGKILL if it still runs after ${stop_timeout_ms} ms`]),
    'start it with its configured program, directory and environment',
    `watch for ${observe_ms} ms that it keeps its pid${ready ? ' and passes its ready check' : ''}`,
  ];
}
