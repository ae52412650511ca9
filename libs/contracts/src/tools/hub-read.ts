import { Type } from 'typebox';
import { Count, Flag, Json, List, Nullable, OneOf, Text } from '../nouns/field.js';
import { defineTool, LIST_BYTES, type ToolSource } from './define.js';

/** A supervised service as the hub reports it. `pid` is null while it does not run. */
export const ServiceState = Type.Object({
  name: Text(64),
  state: OneOf(['running', 'starting', 'stopping', 'stopped', 'crash_loop'] as const),
  pid: Nullable(Count()),
  restarts: Count('automatic restarts since the agent started'),
  started_at: Nullable(Text(32)),
  last_exit: Nullable(
    Type.Object({ code: Nullable(Type.Integer()), signal: Nullable(Text(16)), at: Text(32) }),
  ),
});

/** One health check with its evidence; `reason` says why it is not ok. */
const HealthCheckResult = Type.Object({
  name: Text(64),
  kind: OneOf(['http', 'tcp', 'service'] as const),
  ok: Flag(),
  status: OneOf(['ok', 'failed', 'timeout', 'skipped'] as const),
  latency_ms: Type.Number(),
  reason: Nullable(Text(300)),
  evidence: Json(),
});

type HubRead = Pick<ToolSource, 'tool_id' | 'title' | 'summary' | 'input' | 'output'> & Partial<ToolSource>;
const live = (source: HubRead) =>
  defineTool({
    surface: 'operations',
    plane_id: 'infra_ops',
    served_by: 'hub',
    side_effect_class: 'none',
    routing_class: 'operational_live_read',
    required_capability: source.tool_id,
    timeout_ms: 10_000,
    ...source,
  });

/** InfraOpsPlane reads. `served_by: hub` ones are answered by the agent, the others by root about the target. */
export const HUB_READ_TOOLS = [
  live({
    tool_id: 'hub.get_status',
    title: 'Hub status',
    summary:
      'Is the hub well: agent and skill version, services with state and pid, overall health. Cheap; call it first.',
    input: {},
    output: {
      hub_id: Text(64),
      health: OneOf(['healthy', 'degraded', 'unhealthy', 'unknown'] as const),
      agent: Type.Object({ version: Text(32), pid: Count(), uptime_s: Type.Number() }),
      skill: Type.Object({ name: Text(64), version: Text(32), state: Text(16) }),
      services: List(ServiceState, 200),
      at: Text(32),
    },
  }),
  live({
    tool_id: 'hub.get_runtime_summary',
    title: 'Runtime summary',
    summary: 'Operating system, load, memory, disk, uptime, services and queue depths of the hub.',
    input: {},
    output: {
      host: Type.Object({
        platform: Text(32),
        release: Text(64),
        arch: Text(16),
        cpus: Count(),
        load: List(Type.Number(), 3),
        uptime_s: Type.Number(),
        memory: Type.Object({ total_bytes: Count(), available_bytes: Count() }),
        disk: Nullable(Type.Object({ total_bytes: Count(), free_bytes: Count() })),
      }),
      agent: Type.Object({
        version: Text(32),
        pid: Count(),
        uptime_s: Type.Number(),
        rss_bytes: Count(),
        node: Text(32),
      }),
      services: List(ServiceState, 200),
      queue: Type.Object({ running: Count(), waiting: Count() }),
      at: Text(32),
    },
  }),
  live({
    tool_id: 'hub.get_logs',
    title: 'Hub logs',
    summary:
      'The last lines of one log source of the hub, secrets masked. Without a source: which sources there are.',
    input: {
      source: Type.Optional(Text(64, 'Name of a log source, as listed in the answer under sources.')),
      tail: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, description: 'How many lines from the end, default 100.' }),
      ),
      contains: Type.Optional(Text(200, 'Only lines that hold this text.')),
    },
    output: {
      source: Nullable(Text(64)),
      sources: List(Text(64), 200),
      lines: List(Type.String(), 1000),
      count: Count(),
      bytes_scanned: Count(),
      complete: Flag('false: older matching lines exist beyond what was scanned or returned'),
    },
    timeout_ms: 15_000,
  }),
  live({
    tool_id: 'hub.run_healthchecks',
    title: 'Run health checks',
    summary:
      'Runs the health checks configured on the hub, in parallel and bounded, each with status, latency and evidence.',
    input: {
      checks: Type.Optional(
        Type.Array(Text(64), { maxItems: 50, description: 'Only these checks, by name.' }),
      ),
    },
    output: {
      overall: OneOf(['healthy', 'degraded', 'unhealthy', 'unknown'] as const),
      checks: List(HealthCheckResult, 50),
      at: Text(32),
    },
    timeout_ms: 20_000,
  }),
  live({
    tool_id: 'hub.get_operational_surface',
    title: 'What the hub publishes',
    summary:
      'The tools this target publishes now, why others are not, its environment, policy, skill state and services allowed.',
    served_by: 'router',
    input: {},
    output: {
      target: Json(),
      published: List(Text(64)),
      withheld: List(Type.Object({ tool_id: Text(64), reason: Text(200) })),
    },
  }),
  live({
    tool_id: 'hub.get_activity_log',
    title: 'Activity on the hub',
    summary:
      'Recent governed calls on this target, newest first: who, what, decision, outcome. errors_only keeps failures and denials.',
    served_by: 'audit',
    max_result_bytes: LIST_BYTES,
    unrecorded: 'a read of the record would fill the record with itself',
    input: {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
      errors_only: Type.Optional(Type.Boolean({ description: 'Only calls that did not succeed.' })),
      cursor: Type.Optional(Text(200, 'next_cursor of the page before.')),
    },
    output: { events: List(Json(), 200), next_cursor: Nullable(Text(200)) },
  }),
];
