import type { KeyObject } from 'node:crypto';
import { subjectOf } from '@adaos/contracts';
import { permitVerifier } from '@adaos/permit';
import type { BaseDeps, Module } from '@adaos/runtime';
import type { AdapterDeps } from './adapters/adapter.js';
import type { AgentConfig } from './agent-config.js';
import { createLane } from './bounded.js';
import { handlers, SERVE_BOUNDS } from './handlers.js';
import { Journal } from './journal.js';
import { createLateOutcomes } from './late-outcomes.js';
import { progressTeller } from './progress.js';
import { isReady } from './probes/ready-probe.js';
import { startReports } from './report.js';
import { createRunningCalls } from './running-calls.js';
import { openSkill } from './skill.js';
import { lockDataDir } from './supervisor/data-dir-lock.js';
import { Supervisor } from './supervisor/supervisor.js';

export { loadAgentConfig } from './load-agent-config.js';
export { parseAgentConfig } from './read-agent-config.js';
export type { AgentConfig } from './agent-config.js';

export interface AgentDeps extends BaseDeps {
  readonly config: AgentConfig;
  /** Directory of this agent alone: journal, pid files, captured output. Made if missing. */
  readonly data_dir: string;
  /** Root's Ed25519 public key, as PEM or read: what it signed is what may be done. */
  readonly root_public_key: KeyObject | string;
}

/** Bytes of a bus message kept for the reply around its result. */
const HEADROOM = 4 * 1024;
/** Milliseconds a stop waits for calls under way; a restart that takes longer is in the journal. */
const DRAIN_MS = 3_000;

/** The agent on a hub: dials out, runs what root signed and its own file offers, keeps the configured services running. */
export const agent: Module<AgentDeps> = {
  name: 'agent',
  async start(deps) {
    const { bus, clock, config, data_dir, log, zone } = deps;
    const { hub_id, limits } = config;
    const verify = permitVerifier({ public_key: deps.root_public_key, zone, hub_id, now: clock.now });
    const stops: (() => void | Promise<void>)[] = [lockDataDir(data_dir)];
    // In reverse: no new calls, no reports, then what was running, the files and the lock last.
    const stop = async () => {
      for (const part of stops.splice(0).reverse()) {
        try {
          await part();
        } catch (error) {
          // One part that fails must not leave the others running.
          log.error({ err: error }, 'a part of the agent did not stop');
        }
      }
    };
    try {
      const journal = await Journal.open({ data_dir, clock, log });
      stops.push(() => journal.close());
      const skill = await openSkill(data_dir, log);
      const supervisor = new Supervisor({ config, data_dir, clock, log, isReady });
      stops.push(() => supervisor.stop());
      await supervisor.start();
      const late = createLateOutcomes({ bus, hub_id, log });
      stops.push(() => late.stop());
      const lanes = {
        read: createLane({ max_concurrency: limits.max_concurrency, max_waiting: 64 }),
        write: createLane({ max_concurrency: 1, max_waiting: 16 }),
      };
      const adapter_deps: AdapterDeps = {
        config,
        data_dir,
        clock,
        supervisor,
        skill: skill.view,
        queue: () => ({
          running: lanes.read.running + lanes.write.running,
          waiting: lanes.read.waiting + lanes.write.waiting,
        }),
      };
      const max_result_bytes = () => Math.min(limits.max_output_bytes, bus.max_payload - HEADROOM);
      const running = createRunningCalls();
      const parts = {
        hub_id,
        clock,
        log,
        adapter_deps,
        verify,
        journal,
        running,
        late,
        tellProgress: progressTeller({ bus, hub_id, log }),
        lanes,
        skill,
        max_result_bytes,
      };
      const table = handlers(parts);
      const served = (Object.keys(table) as (keyof typeof table)[]).map((id) =>
        bus.serve(subjectOf(id, hub_id), SERVE_BOUNDS[id], table[id]),
      );
      stops.push(async () => void (await Promise.all(served.map((one) => one.stop(DRAIN_MS)))));
      stops.push(startReports({ ...deps, hub_id, heartbeat_ms: config.heartbeat_ms, skill, supervisor }));
      for (const { event_id, key, reply } of journal.interrupted) {
        const [lease_id = '', request_id = ''] = key.split('/');
        late.send({ event_id, lease_id, request_id, reply });
      }
      return stop;
    } catch (error) {
      await stop();
      throw error;
    }
  },
};
