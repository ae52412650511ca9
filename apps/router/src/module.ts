import {
  CallCancelled,
  CallNamed,
  CallOutcome,
  hubIdOf,
  LeaseRevoked,
  PolicyChanged,
  subjectOf,
  TargetChanged,
  validator,
} from '@adaos/contracts';
import type { OperationalEvent } from '@adaos/contracts';
import { createMemoryLimits, type Limits } from '@adaos/limits';
import { createRecorder, serveTable, stopAll, type BaseDeps, type Module } from '@adaos/runtime';
import { approvalRows, runRows, targetRows, type Store } from '@adaos/store';
import { createApprovals } from './approvals.js';
import { hear } from './ask.js';
import { createDecisions, type DecisionDeps } from './decisions.js';
import { createGrantCache } from './grants.js';
import { CEILINGS, type Ceilings } from './guard.js';
import { handlers } from './handlers.js';
import { createInFlight } from './in-flight.js';
import { watchLimits } from './limit-watch.js';
import { hearProgress } from './progress.js';
import { createFollowUp, RECOVERY, startRecovery } from './recovery.js';
import { createRuns } from './runs.js';
import { createRefusalTally } from './refusal-tally.js';
import { createRefusals, refusalBounds } from './refusals.js';
import { createTargets, type Changed } from './targets.js';

export interface RouterDeps extends BaseDeps {
  readonly store: Store;
  readonly limits: Limits;
  /** Milliseconds between heartbeats asked of hubs; three missed make a target offline. */
  readonly heartbeat_ms: number;
  readonly ceilings?: Partial<Ceilings>;
  /** Refusals of one address or credential that have an event of their own, a minute. */
  readonly refusals_recorded?: number;
  /** What goes on while policy is away; default: nothing. */
  readonly policy_down_reads?: DecisionDeps['down_reads'];
  readonly recovery?: { sweep_ms: number; orphan_age_ms: number };
}

/** As the setting has it when none is given. */
const REFUSALS_RECORDED = 120;

/** Milliseconds a stop waits for records that are on their way. */
const DRAIN_MS = 4_000;

const events = {
  revoked: validator<LeaseRevoked>(LeaseRevoked),
  changed: validator<TargetChanged>(TargetChanged),
  policy: validator<PolicyChanged>(PolicyChanged),
  cancelled: validator<CallCancelled>(CallCancelled),
  outcome: validator<CallOutcome>(CallOutcome),
  sought: validator<CallNamed>(CallNamed),
};

/** The call pipeline, the managed targets, dispatch. */
export const router: Module<RouterDeps> = {
  name: 'router',
  async start(deps) {
    const { bus, clock, store, zone, heartbeat_ms, log } = deps;
    const decisions = createDecisions({ bus, clock, down_reads: deps.policy_down_reads ?? 'deny' });
    const grants = createGrantCache({ bus, clock, onDrop: decisions.forget });
    const targets = createTargets({ zone, rows: targetRows(store.sql), clock, heartbeat_ms });
    const approval_rows = approvalRows(store.sql, { now: () => new Date(clock.now()) });
    const tell = (subject: string, body: unknown) =>
      void bus.request(subject, body, { timeout_ms: 2_000 }).catch(() => undefined);
    const in_flight = createInFlight((hub_id, event_id) =>
      tell(subjectOf('hub_cancel', hub_id), { event_id }),
    );
    const changed = (target_id: string) => bus.publish(subjectOf('target_changed'), { target_id });
    const announce = ({ target: { target_id }, skill_state }: Changed) => {
      changed(target_id);
      const hub_id = hubIdOf(target_id);
      if (hub_id) tell(subjectOf('hub_control', hub_id), { verb: 'skill', state: skill_state });
    };
    const findEvent = async (event_id: string): Promise<OperationalEvent | null> =>
      (
        await bus.request<{ event: OperationalEvent | null }>(
          subjectOf('audit_find'),
          { event_id },
          { timeout_ms: 3_000 },
        )
      ).event;
    const recorder = createRecorder({ bus, source: 'router', log });
    const followUp = createFollowUp({ bus, clock, recorder, log });
    const runs = createRuns(
      { ...deps, rows: runRows(store.sql, { now: () => new Date(clock.now()) }), findEvent },
      deps.recovery ?? RECOVERY,
    );
    const limits = watchLimits(deps.limits, { ...deps, recorder });
    const tally = createRefusalTally({ ...deps, recorder });
    const parts = {
      ...deps,
      limits,
      ceilings: { ...CEILINGS, ...deps.ceilings },
      refusals: createRefusals(
        { limits, now: clock.now, tally },
        refusalBounds(deps.refusals_recorded ?? REFUSALS_RECORDED),
      ),
      local_limits: createMemoryLimits(),
      grants,
      targets,
      decisions,
      approval_rows,
      approvals: createApprovals({ ...deps, rows: approval_rows }),
      in_flight,
      runs,
      recorder,
      followUp,
      announce,
      changed,
      findEvent,
    };
    const heard = [
      () => recorder.drain(DRAIN_MS),
      () => runs.drain(DRAIN_MS),
      () => limits.close(),
      () => tally.stop(),
      () => grants.stop(),
      () => decisions.stop(),
      hear(
        bus,
        'lease_revoked',
        events.revoked,
        log,
        ({ lease_id, target_id, epoch, final = true, ends_calls = final }) => {
          grants.revoke(lease_id, epoch, final);
          // Calls that are not ended are judged by session when they end: their bearer may well go on.
          if (ends_calls) in_flight.revoke(lease_id);
          if (!final) return;
          const hub_id = hubIdOf(target_id ?? '');
          if (hub_id) tell(subjectOf('hub_control', hub_id), { verb: 'lease_revoked', lease_id });
        },
      ),
      hear(bus, 'target_changed', events.changed, log, ({ target_id }) => targets.forget(target_id)),
      hear(bus, 'policy_changed', events.policy, log, () => decisions.changed()),
      hear(bus, 'call_cancelled', events.cancelled, log, ({ call_id, reason }) =>
        in_flight.cancel(call_id, reason),
      ),
      hear(bus, 'call_outcome', events.outcome, log, ({ event_id, reply }) =>
        in_flight.finish(event_id, reply),
      ),
      hearProgress({ bus, in_flight, log }),
      startRecovery(parts, deps.recovery),
      // Stopped after what it tells of: a router that drains still says what it holds.
      hear(bus, 'call_sought', events.sought, log, ({ call_id }) => {
        if (served.holds(call_id)) bus.publish(subjectOf('call_held'), { call_id });
      }),
    ];
    const served = serveTable(bus, 'router', handlers(parts));
    return stopAll([...heard, served.stop]);
  },
};
