import { Type, type Static } from 'typebox';
import { Count, Flag, Json, List, Nullable, OneOf, Text } from './field.js';

export const SURFACES = ['development', 'operations'] as const;
export const SIDE_EFFECTS = ['none', 'trace', 'reversible_write', 'destructive_write'] as const;
export const ROUTING_CLASSES = [
  'descriptive_cached_read',
  'operational_live_read',
  'operational_bounded_write',
] as const;
export const ENVIRONMENTS = ['test', 'staging', 'production'] as const;
export const EXECUTORS = ['hub', 'descriptor', 'session', 'router', 'audit', 'policy'] as const;
/** Roles of operators, the people and pipelines who run a zone. */
export const ROLES = ['viewer', 'operator', 'approver', 'admin'] as const;

/**
 * What every exposed tool publishes (contracts.md, "Tool contract"). `served_by` names the service whose handler runs it:
 * `hub` means the agent on the target, all else is root. Times in milliseconds, sizes in bytes.
 */
export const ToolContract = Type.Object(
  {
    tool_id: Text(64),
    mcp_name: Text(40),
    title: Text(80),
    summary: Text(600),
    surface: OneOf(SURFACES),
    plane_id: Text(40),
    served_by: OneOf(EXECUTORS),
    input_schema: Json(),
    output_schema: Json(),
    side_effect_class: OneOf(SIDE_EFFECTS),
    routing_class: OneOf(ROUTING_CLASSES),
    required_capability: Text(64),
    allowed_environments: List(OneOf(ENVIRONMENTS)),
    operator_roles: List(
      OneOf(ROLES, 'operator roles that hold its capability; leases get theirs from a profile'),
    ),
    approval: OneOf(['none', 'required'] as const),
    idempotency: OneOf(
      ['safe', 'request_id', 'none'] as const,
      'safe: repeating changes nothing more; request_id: a repeat with the same id returns the first result; none: each call acts',
    ),
    timeout_ms: Count(),
    max_concurrency_per_target: Count(),
    max_concurrency_per_actor: Count(),
    rate_limit: Type.Object({ points: Count(), duration_s: Count() }),
    max_result_bytes: Count(),
    redaction_rules: List(Text(64)),
    presentation: OneOf(
      ['structured', 'native'] as const,
      'native: the result holds MCP content of the tool’s own making under `content`, and what it reports on the way may be shown as log messages',
    ),
    dry_run: OneOf(['supported', 'refused'] as const),
    task: OneOf(
      ['none', 'optional'] as const,
      'optional: goes on as a run after its caller was answered, if the caller takes tasks',
    ),
    stability: OneOf(['stable', 'experimental', 'internal'] as const),
    version: Count(),
    annotations: Type.Object({
      readOnlyHint: Flag(),
      destructiveHint: Flag(),
      idempotentHint: Flag(),
      openWorldHint: Flag(),
    }),
    unrecorded: Nullable(
      Text(120, 'Why a call leaves no event of its own; null for every tool but the audit reads'),
    ),
  },
  { additionalProperties: false },
);
export type ToolContract = Static<typeof ToolContract>;

/** Does a call of this tool change something? */
export const isWrite = ({ side_effect_class }: Pick<ToolContract, 'side_effect_class'>): boolean =>
  side_effect_class.endsWith('_write');

/** A tool as `tools/list` shows it. */
export interface PublishedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  /** Absent for a tool whose result is not structured: clients would look for what is not there. */
  readonly outputSchema?: Record<string, unknown>;
  readonly annotations: Record<string, boolean>;
  readonly _meta: Record<string, unknown>;
}
