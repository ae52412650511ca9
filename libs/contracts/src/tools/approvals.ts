import { Type } from 'typebox';
import { Approval, APPROVAL_STATUSES } from '../nouns/approval.js';
import { List, Nullable, OneOf, Text } from '../nouns/field.js';
import { defineTool, LIST_BYTES, type ToolSource } from './define.js';

type ApprovalTool = Pick<ToolSource, 'tool_id' | 'title' | 'summary' | 'input' | 'output'> &
  Partial<ToolSource>;
const approval = (source: ApprovalTool) =>
  defineTool({
    surface: 'operations',
    plane_id: 'zone_admin',
    served_by: 'router',
    side_effect_class: 'none',
    routing_class: source.side_effect_class ? 'operational_bounded_write' : 'operational_live_read',
    required_capability: source.tool_id,
    allowed_environments: ['test', 'staging', 'production'],
    rate_limit: { points: 600, duration_s: 60 },
    timeout_ms: 5_000,
    ...source,
  });

const APPROVAL_ID = Text(64, 'Id of the approval, apr_…');
const decide = (tool_id: string, title: string, summary: string) =>
  approval({
    tool_id,
    title,
    summary,
    side_effect_class: 'reversible_write',
    // Whoever may act need not be whoever may agree; and nobody agrees to what they asked for themselves.
    operator_roles: ['approver', 'admin'],
    input: {
      approval_id: APPROVAL_ID,
      reason: Type.Optional(Text(500, 'Why; the one who asked reads it.')),
    },
    output: { approval: Approval },
  });

/** What waits for a yes, and the yes or no itself. */
export const APPROVAL_TOOLS = [
  approval({
    tool_id: 'operations.list_approvals',
    title: 'List approvals',
    summary: 'Changes that wait for approval or had one, newest first: who asked, which tool, with what.',
    max_result_bytes: LIST_BYTES,
    input: {
      status: Type.Optional(OneOf(APPROVAL_STATUSES, 'Only those in this state.')),
      target_id: Type.Optional(Text(70, 'Only those on this target.')),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
      cursor: Type.Optional(Text(200, 'next_cursor of the page before.')),
    },
    output: { approvals: List(Approval, 200), next_cursor: Nullable(Text(200)) },
  }),
  approval({
    tool_id: 'operations.get_approval',
    title: 'Read an approval',
    summary: 'One approval with the arguments it is bound to.',
    input: { approval_id: APPROVAL_ID },
    output: { approval: Approval },
  }),
  decide(
    'operations.approve',
    'Approve a change',
    'Lets the one call through that the approval names, once, within the hour.',
  ),
  decide(
    'operations.reject',
    'Reject a change',
    'Refuses the call that the approval names; the reason goes to who asked.',
  ),
];
