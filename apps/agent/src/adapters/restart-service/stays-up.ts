import type { Service } from '../../supervisor/service.js';
import type { Supervisor } from '../../supervisor/supervisor.js';
import { isReady } from '../../probes/ready-probe.js';

/**
 * Watches a service just started for its `observe_ms`: true when it kept its pid, was not started again, and is running at the end, which
 * with a ready check means that the check passed; it is asked once more then. False as soon as that can no longer be.
 */
export async function staysUp(service: Service, supervisor: Supervisor): Promise<boolean> {
  const { pid, restarts } = service.view();
  const same = () => {
    const now = service.view();
    return pid !== null && now.pid === pid && now.restarts === restarts;
  };
  await new Promise<void>((resolve) => {
    const stop = supervisor.onChange(() => {
      if (!same()) end();
    });
    const timer = setTimeout(() => end(), service.config.observe_ms);
    const end = () => {
      stop();
      clearTimeout(timer);
      resolve();
    };
    if (!same()) end();
  });
  if (!same() || service.view().state !== 'running') return false;
  const { ready } = service.config;
  return ready ? (await isReady(ready, new AbortController().signal)) && same() : true;
}
