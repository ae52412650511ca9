import type { RecordInput } from './records.js';
import type { StoreBench } from './store.suite.js';

/** Makes records with ids of their own; `many` makes several alike. */
export function recordMaker(bench: StoreBench) {
  const record = (over: Partial<RecordInput> = {}): RecordInput => {
    const event_id = over.event_id ?? bench.id('evt');
    const phase = over.phase ?? 'closed';
    return {
      event_id,
      phase,
      event_type: 'tool.call',
      started_at: '2026-05-01T12:00:00.000Z',
      trace_id: 'trace-1',
      request_id: 'req-1',
      actor: 'agent:codex',
      lease_id: null,
      target_id: 'hub:one',
      tool_id: 'hub.get_status',
      subnet_id: 'subnet-1',
      plane_id: 'InfraOpsPlane',
      status: phase === 'opened' ? null : 'succeeded',
      error_code: null,
      side_effect_class: 'none',
      body: JSON.stringify({ event_id, phase, padding: 'x'.repeat(40) }),
      ...over,
    };
  };
  const many = (count: number, over: Partial<RecordInput> = {}) =>
    Array.from({ length: count }, () => record(over));
  return { record, many };
}
