import type { Bus } from '@adaos/bus';
import { subjectOf, toolOf, type HubReport } from '@adaos/contracts';
import type { Clock, Ids, Log } from '@adaos/runtime';
import { ADAPTERS } from './adapters/table.js';
import { healthOf } from './health.js';
import type { Skill } from './skill.js';
import type { Supervisor } from './supervisor/supervisor.js';
import { AGENT_VERSION } from './version.js';

export interface ReportDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly hub_id: string;
  readonly heartbeat_ms: number;
  readonly skill: Skill;
  readonly supervisor: Supervisor;
}

/** Milliseconds between two reports at the least: a service that crashes fast must not flood root. */
const GAP_MS = 100;
/** The first retry after root could not be reached; doubled up to the heartbeat. */
const FIRST_RETRY_MS = 250;
const TIMEOUT_MS = 5_000;

/**
 * Tells root that the hub lives and what it offers: at start, every heartbeat and soon after a change, one report at a time. Root's
 * answer may carry its word on the skill and on how often to report; both are adopted. Returns how to stop.
 */
export function startReports(deps: ReportDeps): () => Promise<void> {
  const { bus, clock, log } = deps;
  let { heartbeat_ms } = deps;
  const epoch = deps.ids.next('hub');
  const subject = subjectOf('hub_report', deps.hub_id);
  const stopped = new AbortController();
  let cursor = 0;
  let rtt_ms: number | null = null;
  let reached: boolean | null = null;
  let retry_ms = FIRST_RETRY_MS;
  let sending: Promise<void> | null = null;
  let dirty = false;
  let last_ms = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  async function send(): Promise<void> {
    const began = performance.now();
    const revision = deps.skill.revision();
    try {
      const report = reportOf(deps, { epoch, cursor: cursor++, rtt_ms });
      const timeout_ms = Math.min(TIMEOUT_MS, Math.max(1_000, heartbeat_ms));
      const answer = await bus.request<unknown>(subject, report, { timeout_ms, signal: stopped.signal });
      rtt_ms = Math.round(performance.now() - began);
      note(true);
      await adopt(answer, revision);
    } catch (error) {
      note(false, error);
    }
  }

  /** Once per change: an hour without root is one line, not two hundred. */
  function note(now: boolean, error?: unknown): void {
    if (now) retry_ms = FIRST_RETRY_MS;
    if (reached === now || stopped.signal.aborted) return;
    reached = now;
    if (now) log.info({ rtt_ms }, 'root is reached');
    else log.warn({ code: (error as { code?: unknown }).code }, 'root can not be reached; going on');
  }

  /** Root's word on the skill and on how often it wants to hear; what it says badly is left aside. */
  async function adopt(answer: unknown, revision: number): Promise<void> {
    const { skill, heartbeat_ms: asked } = (answer ?? {}) as {
      skill?: { state?: unknown };
      heartbeat_ms?: unknown;
    };
    if (asked !== heartbeat_ms && isHeartbeat(asked)) {
      heartbeat_ms = asked;
      stopBeat();
      stopBeat = clock.every(heartbeat_ms, poke);
    }
    // A change root told by control while this answer was under way is newer than the answer.
    if (skill?.state === undefined || revision !== deps.skill.revision()) return;
    await deps.skill.adopt(skill.state).catch(() => log.warn({}, 'root named a skill state that is none'));
  }

  function poke(): void {
    if (stopped.signal.aborted) return;
    const early_ms = last_ms + Math.min(GAP_MS, heartbeat_ms) - performance.now();
    dirty = true;
    if (sending) return;
    clearTimeout(timer);
    if (early_ms > 0) {
      timer = later(early_ms);
      return;
    }
    dirty = false;
    last_ms = performance.now();
    sending = send().finally(() => {
      sending = null;
      if (dirty) poke();
      else if (reached === false && !stopped.signal.aborted) {
        timer = later(Math.min(retry_ms, heartbeat_ms));
        retry_ms *= 2;
      }
    });
  }
  const later = (ms: number) => setTimeout(poke, ms).unref();

  let stopBeat = clock.every(heartbeat_ms, poke);
  const stops = [() => stopBeat(), deps.skill.onChange(poke), deps.supervisor.onChange(poke)];
  poke();
  return async () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
    stopped.abort();
    await sending;
  };
}

const isHeartbeat = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 20 && (value as number) <= 300_000;

/** A disabled skill offers nothing: the report can only narrow what root allows (D3). */
function reportOf(
  { clock, skill, supervisor }: ReportDeps,
  beat: Pick<HubReport, 'epoch' | 'cursor' | 'rtt_ms'>,
): HubReport {
  const services = supervisor.views();
  const offered = skill.view().state === 'enabled' ? ADAPTERS : [];
  return {
    ...beat,
    reported_at: clock.iso(),
    agent_version: AGENT_VERSION,
    skill: skill.view(),
    capabilities: offered.map((adapter) => toolOf(adapter.tool_id).contract.required_capability),
    execution_adapters: offered.map((adapter) => adapter.adapter),
    services: services.map(({ name, state }) => ({ name, state })),
    health: healthOf(services),
  };
}
