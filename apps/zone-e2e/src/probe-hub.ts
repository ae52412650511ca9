import { subjectOf, type ExecReply, type ExecRequest, type HubReport } from '@adaos/contracts';
import { rest } from './api.js';
import type { SplitZone } from './split-zone.js';

const HUB_ID = 'probe';

/** A write on the probe hub: it runs until it is told to stop. */
export interface Running {
  /** Resolves when root tells this hub to stop it, by its event or by its lease. */
  readonly told: Promise<void>;
  readonly end: () => void;
}

const CANCELLED: ExecReply = {
  status: 'cancelled',
  error: { code: 'cancelled', message: 'Stopped.' },
  redactions: [],
  adapter: 'probe',
  adapter_ms: 0,
};

/** A registered hub on the real broker whose writes take for ever, played by the caller's process so that it can tell when it was told. */
export async function playProbe(zone: SplitZone) {
  const bus = await zone.connectProbe();
  const operator = rest(zone);
  await operator('POST', '/targets', {
    hub_id: HUB_ID,
    environment: 'test',
    subnet_id: 'probe',
    policy: {
      write_scope: 'test-only',
      allowed_services: ['web'],
      allowed_capabilities: ['hub.restart_service'],
    },
  });
  await operator('POST', `/targets/hub:${HUB_ID}/skill`, { state: 'enabled' });

  const stops = new Map<string, () => void>();
  const waiting: ((running: Running) => void)[] = [];
  const stop = (name: unknown) => stops.get(String(name))?.();
  const bounds = { queue: 'agent', max_concurrency: 16 };
  bus.serve(subjectOf('hub_exec', HUB_ID), bounds, (body) => {
    const { event_id, lease_id } = body as ExecRequest;
    return new Promise<ExecReply>((reply) => {
      const told = new Promise<void>((done) => {
        stops.set(event_id, done);
        stops.set(lease_id, done);
      });
      waiting.shift()?.({ told, end: () => reply(CANCELLED) });
    });
  });
  bus.serve(subjectOf('hub_cancel', HUB_ID), bounds, async (body) => {
    stop((body as { event_id: string }).event_id);
    return { aborted: 1 };
  });
  bus.serve(subjectOf('hub_control', HUB_ID), bounds, async (body) => {
    stop((body as { lease_id?: string }).lease_id);
    return { aborted: 1 };
  });

  let cursor = 0;
  const report = () =>
    bus.request(
      subjectOf('hub_report', HUB_ID),
      {
        epoch: 'bench',
        cursor: ++cursor,
        reported_at: new Date().toISOString(),
        agent_version: '0',
        skill: { name: 'infra_access_skill', version: '0', state: 'enabled' },
        capabilities: ['hub.restart_service'],
        execution_adapters: [],
        services: [],
        health: 'healthy',
        rtt_ms: 1,
      } satisfies HubReport,
      { timeout_ms: 5_000 },
    );
  await report();
  const beat = setInterval(() => void report().catch(() => undefined), 400);
  return {
    hub_id: HUB_ID,
    /** The next write that arrives. */
    next: () => new Promise<Running>((arrived) => waiting.push(arrived)),
    async stop() {
      clearInterval(beat);
      await bus.close();
    },
  };
}
