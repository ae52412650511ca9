import { Type, type TProperties } from 'typebox';
import { Text } from '../nouns/field.js';
import { ROLES, type ToolContract } from '../nouns/tool-contract.js';

type Derived =
  'mcp_name' | 'annotations' | 'version' | 'stability' | 'unrecorded' | 'input_schema' | 'output_schema';
type Defaulted =
  | 'approval'
  | 'idempotency'
  | 'dry_run'
  | 'task'
  | 'redaction_rules'
  | 'max_result_bytes'
  | 'rate_limit'
  | 'allowed_environments'
  | 'operator_roles'
  | 'presentation';

/** A contract as written: what can be derived is derived, so that it can't disagree. */
export interface ToolSource
  extends
    Omit<ToolContract, Derived | Defaulted | 'max_concurrency_per_target' | 'max_concurrency_per_actor'>,
    Partial<
      Pick<
        ToolContract,
        | Defaulted
        | 'stability'
        | 'version'
        | 'unrecorded'
        | 'max_concurrency_per_target'
        | 'max_concurrency_per_actor'
      >
    > {
  readonly input: TProperties;
  readonly output: TProperties;
}

/** `hub.get_status` → `hub_get_status`: some clients refuse dots, some hyphens, some `__` (D10). */
export const mcpNameOf = (tool_id: string) => tool_id.replace(/[^A-Za-z0-9]+/g, '_');

const TARGET_ID = Type.Optional(
  Text(70, "The target; may be left out, a lease has only one. Another lease's target is refused."),
);
const DRY_RUN = Type.Optional(
  Type.Boolean({ description: 'true: say what would happen and change nothing.' }),
);
const REQUEST_ID = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z0-9._:-]{1,128}$',
    description: 'Repeat a write with the same id to get its first result instead of a second effect.',
  }),
);

const APPROVAL_ID = Type.Optional(
  Text(64, 'Approval of exactly this change, from the answer that asked for it; works once.'),
);

/** Bytes a page of a list may have: a bus message less its envelope. */
export const LIST_BYTES = 896 * 1024;

/** Arguments that steer the call itself and never reach an adapter. */
const CALL_CONTROLS = ['target_id', 'dry_run', 'request_id', 'approval_id'] as const;
/**
 * Those of a tool. Router's own acts on the zone name targets and approvals as what they act on: there they are plain arguments. A target that
 * a bearer is made for must be looked up like that of any call, or the bearer would not be bound to it.
 */
export const controlsOf = ({
  plane_id,
  served_by,
}: Pick<ToolContract, 'plane_id' | 'served_by'>): readonly string[] => {
  if (plane_id !== 'zone_admin') return CALL_CONTROLS;
  return served_by === 'router' ? ['dry_run'] : ['target_id', 'dry_run'];
};

/** Completes a contract: published name, schemas with the call controls, annotations from the side-effect class. */
export function defineTool({ input, output, ...source }: ToolSource): ToolContract {
  const writes =
    source.side_effect_class === 'reversible_write' || source.side_effect_class === 'destructive_write';
  const dry_run = source.dry_run ?? 'refused';
  // The hub keeps a journal of its writes by request id; what root does is safe to repeat, or says that it is not.
  const journaled = writes && source.served_by === 'hub';
  const idempotency = journaled ? 'request_id' : (source.idempotency ?? 'safe');
  const controls: TProperties = {
    // A tool that names a hub itself has no second place to name a target; an act on the zone has none at all.
    ...(source.surface === 'operations' &&
      source.plane_id !== 'zone_admin' &&
      !('hub_id' in input) && { target_id: TARGET_ID }),
    ...(dry_run === 'supported' && { dry_run: DRY_RUN }),
    ...(journaled && { request_id: REQUEST_ID, approval_id: APPROVAL_ID }),
  };
  return {
    approval: 'none',
    redaction_rules: ['secrets'],
    max_result_bytes: 256 * 1024,
    rate_limit: { points: writes ? 30 : 1_200, duration_s: 60 },
    max_concurrency_per_target: writes ? 1 : 32,
    max_concurrency_per_actor: writes ? 2 : 32,
    allowed_environments: writes ? ['test'] : ['test', 'staging', 'production'],
    // A viewer looks; an approver looks and approves; an operator and an admin also act.
    operator_roles: writes ? ['operator', 'admin'] : [...ROLES],
    task: 'none',
    stability: 'stable',
    version: 1,
    unrecorded: null,
    presentation: 'structured',
    ...source,
    idempotency,
    dry_run,
    mcp_name: mcpNameOf(source.tool_id),
    input_schema: plain(Type.Object({ ...input, ...controls }, { additionalProperties: false })),
    output_schema: plain(Type.Object(output)),
    annotations: {
      readOnlyHint: !writes,
      destructiveHint: source.side_effect_class === 'destructive_write',
      idempotentHint: idempotency !== 'none',
      openWorldHint: false,
    },
  };
}

// Clients get plain JSON Schema: field classes are ours alone, and hidden typebox keys must not survive a copy.
const plain = (schema: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === 'x-class' ? undefined : value)),
  ) as Record<string, unknown>;
