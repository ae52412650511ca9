import { canonicalJson, type OperationalEvent } from '@adaos/contracts';
import type { RecordInput } from '@adaos/store';

/** An event as a row: the canonical body is the truth and what the chain covers, the columns are only for finding it. */
export const toRecord = (event: OperationalEvent): RecordInput => ({
  event_id: event.event_id,
  phase: event.phase,
  event_type: event.event_type,
  started_at: event.started_at,
  trace_id: event.trace_id,
  request_id: event.request_id,
  actor: event.actor,
  lease_id: event.lease_id,
  target_id: event.target_id,
  tool_id: event.tool_id,
  subnet_id: event.subnet_id,
  plane_id: event.plane_id,
  status: event.status,
  error_code: event.error?.code ?? null,
  side_effect_class: event.side_effect_class,
  decision_id: event.decision_id,
  body: canonicalJson(event),
});
