import {
  findTool,
  hubIdOf,
  JournalAnswer,
  subjectOf,
  validator,
  type ExecReply,
  type OperationalEvent,
} from '@adaos/contracts';
import type { Clock } from '@adaos/runtime';
import type { CallDeps } from './call.js';
import { redactValue } from '@adaos/redact';

/** Milliseconds. An opened write older than the longest timeout plus a margin has lost its router. */
const ORPHAN_AGE_MS = 60_000;
const SWEEP_MS = 15_000;
/** A hub that can't be asked for this long leaves the outcome unknown for good. */
export const GIVE_UP_MS = 600_000;

/** The closing record of a write whose router died: what the hub's journal knows of it. */
function outcomeEvent(opened: OperationalEvent, reply: ExecReply, clock: Clock): OperationalEvent {
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

const checkAnswer = validator<JournalAnswer>(JournalAnswer);
const ASK_TIMEOUT_MS = 5_000;
/** Milliseconds after which a write that was answered without its outcome is asked for. */
const FOLLOW_UP_MS = [2_000, 10_000, 60_000];

/** What the hub's journal knows of a write; null when the hub can't be asked. */
export async function askJournal(
  { bus }: Pick<CallDeps, 'bus'>,
  hub_id: string,
  event: OperationalEvent,
): Promise<JournalAnswer | null> {
  const { event_id, request_id, lease_id } = event;
  try {
    return checkAnswer(
      await bus.request(
        subjectOf('hub_control', hub_id),
        { verb: 'outcome', event_id, request_id, lease_id },
        { timeout_ms: ASK_TIMEOUT_MS },
      ),
    );
  } catch {
    return null;
  }
}

/** Root's own doing has no journal on the hub. */
export const hubOf = (event: OperationalEvent): string | null =>
  findTool(event.tool_id ?? '')?.contract.served_by === 'hub' ? hubIdOf(event.target_id ?? '') : null;

/**
 * Asks the hub a few times for the outcome of a write whose caller was answered without it: its reply may have been lost on the way, in
 * which case nobody would tell. The answer completes the record; the hub telling it too changes nothing.
 */
export function createFollowUp(
  deps: Pick<CallDeps, 'bus' | 'clock' | 'recorder' | 'log'>,
  waits_ms: readonly number[] = FOLLOW_UP_MS,
) {
  return (event: OperationalEvent, attempt = 0): void => {
    const hub_id = hubOf(event);
    const wait_ms = waits_ms[attempt];
    if (hub_id === null || wait_ms === undefined) return;
    const stop = deps.clock.every(wait_ms, () => {
      stop();
      askJournal(deps, hub_id, event)
        .then(async (answer) => {
          if (answer?.reply) await deps.recorder.record(lateEvent(event, answer.reply, deps.clock));
          else if (!answer || answer.running) followUp(event, attempt + 1);
        })
        .catch((error: unknown) => deps.log.warn({ err: error }, 'an outcome could not be recorded'));
    });
  };
  function followUp(event: OperationalEvent, attempt: number): void {
    createFollowUp(deps, waits_ms)(event, attempt);
  }
}

export const RECOVERY = { sweep_ms: SWEEP_MS, orphan_age_ms: ORPHAN_AGE_MS };

/** Closes writes that were opened and lost their router, from the hub's journal. Any replica may; the record takes one close only. */
export function startRecovery(deps: CallDeps, options = RECOVERY): () => void {
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
    const hub_id = hubOf(event);
    const asked = hub_id === null ? { known: false as const } : await askJournal(deps, hub_id, event);
    if (asked && 'running' in asked && asked.running) return;
    if (asked && 'reply' in asked && asked.reply)
      return deps.recorder.record(outcomeEvent(event, asked.reply, deps.clock));
    const age = deps.clock.now() - Date.parse(event.started_at);
    // The hub answered that it never saw the call, or can't be asked any more; what root did by itself nobody can tell.
    if (!asked && age <= GIVE_UP_MS) return;
    const never_ran = asked !== null && hub_id !== null;
    await deps.recorder.record(never_ran ? neverRan(event, deps.clock) : indeterminate(event, deps.clock));
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
