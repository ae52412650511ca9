import { findTool, hubIdOf, subjectOf, type ExecReply, type OperationalEvent } from '@adaos/contracts';
import type { Clock } from '@adaos/runtime';
import type { CallDeps } from './call.js';
import { redactValue } from '@adaos/redact';

/** Milliseconds. An opened write older than the longest timeout plus a margin has lost its router. */
const ORPHAN_AGE_MS = 60_000;
const SWEEP_MS = 15_000;
/** A hub that can't be asked for this long leaves the outcome unknown for good. */
const GIVE_UP_MS = 600_000;

/** The closing record of a write whose router died: what the hub's journal knows of it. */
export function outcomeEvent(opened: OperationalEvent, reply: ExecReply, clock: Clock): OperationalEvent {
  return completed(opened, 'closed', reply, clock);
}

/** The record that completes a timed-out call. */
export function lateEvent(closed: OperationalEvent, reply: ExecReply, clock: Clock): OperationalEvent {
  return completed(closed, 'late', reply, clock);
}

function completed(
  event: OperationalEvent,
  phase: 'closed' | 'late',
  reply: ExecReply,
  clock: Clock,
): OperationalEvent {
  return {
    ...event,
    phase,
    status: reply.status,
    finished_at: clock.iso(),
    execution_adapter: reply.adapter,
    redactions: reply.redactions,
    error: reply.error ? (redactValue(reply.error).value as OperationalEvent['error']) : null,
    result_summary: reply.result ? { keys: Object.keys(reply.result).slice(0, 20), recovered: true } : null,
    source: 'subnet_active',
  };
}

/** An outcome nobody can tell any more: said as such, never guessed. */
const indeterminate = (opened: OperationalEvent, clock: Clock): OperationalEvent => ({
  ...opened,
  phase: 'closed',
  status: 'indeterminate',
  finished_at: clock.iso(),
  error: {
    code: 'adapter_failed',
    message: 'The outcome is not known: the hub could not be asked.',
    details: { outcome: 'indeterminate' },
  },
});

interface JournalAnswer {
  known: boolean;
  running?: boolean;
  reply?: ExecReply;
}

/** Closes writes that were opened and lost their router, from the hub's journal. Any replica may; the record takes one close only. */
export function startRecovery(
  deps: CallDeps,
  options = { sweep_ms: SWEEP_MS, orphan_age_ms: ORPHAN_AGE_MS },
): () => void {
  let sweeping = false;

  async function sweep(): Promise<void> {
    const older_than = new Date(deps.clock.now() - options.orphan_age_ms).toISOString();
    const { events } = await deps.bus.request<{ events: OperationalEvent[] }>(
      subjectOf('audit_orphans'),
      { older_than, limit: 100 },
      { timeout_ms: 5_000 },
    );
    for (const event of events) await recover(event);
  }

  async function recover(event: OperationalEvent): Promise<void> {
    // What root itself did has no journal on the hub: it stays indeterminate rather than be called not done.
    const by_hub = findTool(event.tool_id ?? '')?.contract.served_by === 'hub';
    const hub_id = by_hub ? hubIdOf(event.target_id ?? '') : null;
    const { event_id, request_id, lease_id } = event;
    const asked =
      hub_id === null
        ? ({ known: false } as JournalAnswer)
        : await deps.bus
            .request<JournalAnswer>(
              subjectOf('hub_control', hub_id),
              { verb: 'outcome', event_id, request_id, lease_id },
              { timeout_ms: 5_000 },
            )
            .catch(() => null);
    if (asked?.running) return;
    if (asked?.reply) return deps.recorder.record(outcomeEvent(event, asked.reply, deps.clock));
    const age = deps.clock.now() - Date.parse(event.started_at);
    // The hub answered that it never saw the call, or can't be asked any more.
    if (asked || age > GIVE_UP_MS)
      await deps.recorder.record(
        asked && hub_id !== null ? neverRan(event, deps.clock) : indeterminate(event, deps.clock),
      );
  }

  return deps.clock.every(options.sweep_ms, () => {
    if (sweeping) return;
    sweeping = true;
    sweep()
      .catch((error: unknown) => deps.log.warn({ err: error }, 'recovery sweep failed'))
      .finally(() => (sweeping = false));
  });
}

const neverRan = (opened: OperationalEvent, clock: Clock): OperationalEvent => ({
  ...opened,
  phase: 'closed',
  status: 'failed',
  finished_at: clock.iso(),
  error: {
    code: 'adapter_failed',
    message: 'The call never reached the hub.',
    details: { outcome: 'not_run' },
  },
});
