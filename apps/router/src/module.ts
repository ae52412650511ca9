import {
  hubIdOf,
  subjectOf,
  type ExecReply,
  type ManagedTarget,
  type OperationalEvent,
} from '@adaos/contracts';
import type { Limits } from '@adaos/limits';
import { createRecorder, serveAll, stopAll, type BaseDeps, type Module } from '@adaos/runtime';
import { targetRows, type Store } from '@adaos/store';
import { createDecisions } from './decisions.js';
import { createGrantCache } from './grants.js';
import { handlers } from './handlers.js';
import { createInFlight, type EndReason } from './in-flight.js';
import { startRecovery } from './recovery.js';
import { createTargets } from './targets.js';

export interface RouterDeps extends BaseDeps {
  readonly store: Store;
  readonly limits: Limits;
  /** Milliseconds between heartbeats asked of hubs; three missed make a target offline. */
  readonly heartbeat_ms: number;
  readonly recovery?: { sweep_ms: number; orphan_age_ms: number };
}

/** The call pipeline, the managed targets, dispatch. */
export const router: Module<RouterDeps> = {
  name: 'router',
  async start(deps) {
    const { bus, clock, store, zone, heartbeat_ms } = deps;
    const grants = createGrantCache({ bus, clock });
    const targets = createTargets({ zone, rows: targetRows(store.sql), clock, heartbeat_ms });
    const decisions = createDecisions({ bus, clock });
    const tell = (subject: string, body: unknown) =>
      void bus.request(subject, body, { timeout_ms: 2_000 }).catch(() => undefined);
    const in_flight = createInFlight((hub_id, event_id) =>
      tell(subjectOf('hub_cancel', hub_id), { event_id }),
    );
    const changed = (target_id: string) => bus.publish(subjectOf('target_changed'), { target_id });
    const announce = async ({ target_id }: ManagedTarget) => {
      changed(target_id);
      const hub_id = hubIdOf(target_id);
      const { state } = await targets.rootSkill(target_id);
      if (hub_id) tell(subjectOf('hub_control', hub_id), { verb: 'skill', state });
    };
    const findEvent = async (event_id: string): Promise<OperationalEvent | null> =>
      (
        await bus.request<{ event: OperationalEvent | null }>(
          subjectOf('audit_find'),
          { event_id },
          { timeout_ms: 3_000 },
        )
      ).event;
    const recorder = createRecorder({ bus, source: 'router' });
    const parts = { ...deps, grants, targets, decisions, in_flight, recorder, announce, changed, findEvent };
    return stopAll([
      () => grants.stop(),
      bus.subscribe(subjectOf('lease_revoked'), (body) => {
        const { lease_id, target_id, epoch } = body as { lease_id: string; target_id: string; epoch: number };
        grants.revoke(lease_id, epoch);
        decisions.forget();
        in_flight.revoke(lease_id);
        const hub_id = hubIdOf(target_id);
        if (hub_id) tell(subjectOf('hub_control', hub_id), { verb: 'lease_revoked', lease_id });
      }),
      bus.subscribe(subjectOf('target_changed'), (body) =>
        targets.forget((body as { target_id: string }).target_id),
      ),
      bus.subscribe(subjectOf('policy_changed'), () => decisions.forget()),
      bus.subscribe(subjectOf('call_cancelled'), (body) => {
        const { call_id, reason } = body as { call_id: string; reason: EndReason };
        in_flight.cancel(call_id, reason);
      }),
      bus.subscribe(subjectOf('call_outcome'), (body) => {
        const { event_id, reply } = body as { event_id: string; reply: ExecReply };
        in_flight.finish(event_id, reply);
      }),
      startRecovery(parts, deps.recovery),
      serveAll(bus, 'router', handlers(parts)),
    ]);
  },
};
