import type { HubReport } from '@adaos/contracts';
import type { ServiceView } from './supervisor/service-state.js';

/**
 * Health of the hub from its services: all run (or there are none) is healthy, none runs is unhealthy, anything between is degraded.
 * A service that is being restarted counts as not running: it does not serve.
 */
export function healthOf(services: readonly ServiceView[]): HubReport['health'] {
  const up = services.filter((service) => service.state === 'running').length;
  if (up === services.length) return 'healthy';
  return up === 0 ? 'unhealthy' : 'degraded';
}
