import { expandFacts, OpError, subjectOf, type OperationalEvent, type PolicyFacts } from '@adaos/contracts';
import type { PolicyToolDeps } from './deps.js';

const AUDIT_TIMEOUT_MS = 5_000;

/** A decision as the record has it. `facts` is null when this build can't make the same ones again. */
export interface RecordedDecision {
  readonly event_id: string;
  readonly decision_id: string | null;
  readonly at: string;
  readonly actor: string | null;
  readonly tool_id: string | null;
  readonly target_id: string | null;
  readonly decision: string;
  readonly code: string | null;
  readonly rules: readonly string[];
  readonly obligations: string;
  readonly explanation: string;
  readonly operator_explanation: string;
  readonly policy_revision: string | null;
  readonly facts: PolicyFacts | null;
}

/** The decision of a recorded call. Throws OpError(target_not_found) when there is none. */
export async function findDecision(
  { bus }: PolicyToolDeps,
  by: { event_id?: string; decision_id?: string },
  subnet_id: string | null,
): Promise<RecordedDecision> {
  const { event } = await bus.request<{ event: OperationalEvent | null }>(subjectOf('audit_find'), by, {
    timeout_ms: AUDIT_TIMEOUT_MS,
  });
  // Of another subnet and not there read the same.
  if (!event?.policy_decision || (subnet_id !== null && event.subnet_id !== subnet_id))
    throw new OpError('target_not_found', undefined, 'No such decision in the record.');
  return recordedOf(event);
}

/** Decided calls of a time range, newest first, a page. */
export async function decisionsOf(
  { bus }: PolicyToolDeps,
  range: { since: string; until?: string; subnet_id?: string; limit: number; cursor: string | null },
): Promise<{ decisions: RecordedDecision[]; next_cursor: string | null }> {
  const { events, next_cursor } = await bus.request<{ events: DecidedEvent[]; next_cursor: string | null }>(
    subjectOf('audit_decisions'),
    range,
    { timeout_ms: AUDIT_TIMEOUT_MS },
  );
  return { decisions: events.map(recordedOf), next_cursor };
}

type DecidedEvent = Pick<
  OperationalEvent,
  | 'event_id'
  | 'decision_id'
  | 'started_at'
  | 'actor'
  | 'tool_id'
  | 'target_id'
  | 'policy_decision'
  | 'error'
  | 'determining_rules'
  | 'obligations'
  | 'policy_explanation'
  | 'policy_revision'
  | 'facts_digest'
  | 'policy_facts'
>;

const recordedOf = (event: DecidedEvent): RecordedDecision => ({
  event_id: event.event_id,
  decision_id: event.decision_id,
  at: event.started_at,
  actor: event.actor,
  tool_id: event.tool_id,
  target_id: event.target_id,
  decision: event.policy_decision ?? 'deny',
  code: event.policy_decision === 'allow' ? null : (event.error?.code ?? null),
  rules: event.determining_rules,
  // Events of older builds have neither.
  obligations: (event.obligations ?? []).join(' '),
  explanation: event.policy_decision === 'allow' ? '' : (event.error?.message ?? ''),
  operator_explanation: event.policy_explanation ?? '',
  policy_revision: event.policy_revision,
  facts: event.facts_digest ? expandFacts(event.policy_facts, event.facts_digest) : null,
});
