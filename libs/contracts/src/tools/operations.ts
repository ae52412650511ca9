import { Type } from 'typebox';
import { Json, List, Nullable, OneOf, Text } from '../nouns/field.js';
import { CALL_STATUSES, ErrorShape } from '../nouns/call.js';
import { Run } from '../nouns/run.js';
import { EVENT_STATUSES } from '../nouns/event.js';
import { SKILL_STATES, TARGET_STATUSES, TargetPolicy } from '../nouns/target.js';
import { ENVIRONMENTS } from '../nouns/tool-contract.js';
import { defineTool, LIST_BYTES, type ToolSource } from './define.js';

type RootTool = Pick<ToolSource, 'tool_id' | 'title' | 'summary' | 'input' | 'output' | 'served_by'> &
  Partial<ToolSource>;
const root = (source: RootTool) =>
  defineTool({
    surface: 'operations',
    plane_id: 'infra_ops',
    side_effect_class: 'none',
    routing_class: source.side_effect_class ? 'operational_bounded_write' : 'operational_live_read',
    required_capability: source.tool_id,
    allowed_environments: ['test', 'staging', 'production'],
    rate_limit: { points: 1_200, duration_s: 60 },
    timeout_ms: 5_000,
    ...source,
  });

const RUN_TOOL = root({
  tool_id: 'operations.get_run',
  plane_id: 'zone_admin',
  title: 'Read a run',
  summary:
    'How a call that goes on after its answer stands: status, progress, the event of its record. Its result is its lease’s alone.',
  served_by: 'router',
  input: { run_id: Text(64, 'Id of the run, run_…') },
  output: { run: Run, status: Nullable(OneOf(CALL_STATUSES)), error: Nullable(ErrorShape) },
});

/** Root's own operational reads and the acts operators do on targets. A lease sees its own target only. */
export const OPERATIONS_TOOLS = [
  root({
    tool_id: 'operations.list_managed_targets',
    max_result_bytes: LIST_BYTES,
    title: 'List targets',
    summary: 'Managed targets with environment, status and published surface. A lease sees its own target.',
    served_by: 'router',
    input: {
      environment: Type.Optional(OneOf(ENVIRONMENTS, 'Only this environment.')),
      status: Type.Optional(OneOf(TARGET_STATUSES, 'Only this status.')),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 100.' })),
      cursor: Type.Optional(Text(200, 'next_cursor of the page before.')),
    },
    output: { targets: List(Json(), 200), next_cursor: Nullable(Text(200)) },
  }),
  root({
    tool_id: 'operations.get_managed_target',
    title: 'Read a target',
    summary: 'One managed target: environment, status, transport, surface, policy, health.',
    served_by: 'router',
    input: {},
    output: { target: Json() },
  }),
  root({
    tool_id: 'operations.register_target',
    title: 'Register a target',
    summary:
      'Registers a hub or changes what root owns of it: environment, policy, allowlists. Operators only.',
    served_by: 'router',
    side_effect_class: 'reversible_write',
    input: {
      hub_id: Type.String({
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        description: 'Id of the hub; the target is hub:<hub_id>.',
      }),
      title: Type.Optional(Text(120, 'Name for people.')),
      environment: OneOf(ENVIRONMENTS, 'Which environment it is; decides which tools may run.'),
      subnet_id: Text(64, 'Subnet the hub belongs to.'),
      owner: Type.Optional(Text(128, 'Who answers for it.')),
      policy: Type.Optional(TargetPolicy),
    },
    output: { target: Json() },
  }),
  root({
    tool_id: 'operations.set_skill_state',
    title: 'Set the skill state of a target',
    summary:
      'Enables or disables infra_access_skill on a target. Disabled: nothing is published and every hub call is refused.',
    served_by: 'router',
    side_effect_class: 'reversible_write',
    input: { state: OneOf(SKILL_STATES, 'enabled, disabled, installed (not enabled yet) or missing.') },
    output: { target: Json() },
  }),
  root({
    tool_id: 'operations.list_recent_events',
    title: 'Read the record',
    summary:
      'Operational events, newest first: who asked, what was decided and why, what came of it. A lease sees its own target.',
    served_by: 'audit',
    max_result_bytes: LIST_BYTES,
    unrecorded: 'a read of the record would fill the record with itself',
    input: {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
      cursor: Type.Optional(Text(200, 'next_cursor of the page before.')),
      event_id: Type.Optional(Text(64, 'Only this event.')),
      trace_id: Type.Optional(Text(32, 'Only this trace.')),
      lease_id: Type.Optional(Text(64, 'Only this lease: calls under it, and what became of it.')),
      tool_id: Type.Optional(Text(64, 'Only this tool.')),
      event_type: Type.Optional(Text(64, 'Only this kind, for example tool.call or auth.denied.')),
      status: Type.Optional(OneOf(EVENT_STATUSES, 'Only this outcome.')),
      since: Type.Optional(Text(32, 'RFC 3339 time; only events from then on.')),
      until: Type.Optional(Text(32, 'RFC 3339 time; only events before it.')),
    },
    output: { events: List(Json(), 200), next_cursor: Nullable(Text(200)) },
  }),
  RUN_TOOL,
];
