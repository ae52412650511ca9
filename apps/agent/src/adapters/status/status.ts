import { healthOf } from '../../health.js';
import { AGENT_VERSION } from '../../version.js';
import type { Adapter } from '../adapter.js';

/** hub.get_status: what the agent knows without asking anything else. */
export const status: Adapter = {
  tool_id: 'hub.get_status',
  adapter: 'status',
  async run(_args, { config, supervisor, skill, clock }) {
    const services = supervisor.views();
    return {
      output: {
        hub_id: config.hub_id,
        health: healthOf(services),
        agent: { version: AGENT_VERSION, pid: process.pid, uptime_s: Math.round(process.uptime()) },
        skill: skill(),
        services,
        at: clock.iso(),
      },
      complete: true,
    };
  },
};
