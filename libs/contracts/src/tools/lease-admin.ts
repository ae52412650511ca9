import { Type } from 'typebox';
import { LEASE_TTL, SessionLease } from '../nouns/lease.js';
import { List, Nullable, Text } from '../nouns/field.js';
import { defineTool, LIST_BYTES, type ToolSource } from './define.js';

type LeaseTool = Pick<
  ToolSource,
  'tool_id' | 'title' | 'summary' | 'input' | 'output' | 'side_effect_class'
> &
  Partial<ToolSource>;
const lease = (source: LeaseTool) =>
  defineTool({
    surface: 'operations',
    plane_id: 'infra_ops',
    served_by: 'session',
    routing_class:
      source.side_effect_class === 'none' ? 'operational_live_read' : 'operational_bounded_write',
    required_capability: source.tool_id,
    // A lease is an act on root, whatever the target's environment; what it may do there is decided at each call.
    allowed_environments: ['test', 'staging', 'production'],
    // Operators and pipelines issue many at a time; what a lease may do is limited where it is used.
    rate_limit: { points: 1_200, duration_s: 60 },
    timeout_ms: 5_000,
    ...source,
  });

/** Leases of a target, issued and taken back through the same pipeline as every other call. */
export const LEASE_TOOLS = [
  lease({
    tool_id: 'hub.issue_mcp_session',
    title: 'Issue a lease',
    summary:
      'Issues an MCP session lease on a target. The bearer is in the answer once and can not be read again.',
    side_effect_class: 'reversible_write',
    idempotency: 'none',
    input: {
      capability_profile: Text(64, 'Profile such as InfraOpsRead.'),
      capabilities: Type.Optional(
        Type.Array(Text(64), { maxItems: 100, description: 'A subset of the capabilities of the profile.' }),
      ),
      ttl_seconds: Type.Optional(
        Type.Integer({
          minimum: LEASE_TTL.min,
          maximum: LEASE_TTL.max,
          description: 'Life of the lease, default four hours.',
        }),
      ),
      audience: Type.Optional(Text(128, 'Who gets it, for example codex.')),
      note: Type.Optional(Text(500, 'Why it is issued.')),
    },
    output: { session: SessionLease, bearer: Type.String() },
  }),
  lease({
    tool_id: 'hub.list_mcp_sessions',
    max_result_bytes: LIST_BYTES,
    title: 'List leases',
    summary:
      'Leases of the target with deadline, last use and use count, newest first. A lapsed lease never shows as active.',
    side_effect_class: 'none',
    input: {
      status: Type.Optional(
        Type.String({ enum: ['active', 'expired', 'revoked'], description: 'Only leases in this state.' }),
      ),
      session_id: Type.Optional(Text(64, 'Only this lease.')),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
      cursor: Type.Optional(Text(200, 'next_cursor of the page before.')),
    },
    output: { sessions: List(SessionLease, 200), next_cursor: Nullable(Text(200)) },
  }),
  lease({
    tool_id: 'hub.revoke_mcp_session',
    title: 'Revoke a lease',
    summary: 'Ends a lease now on every replica. Revoking it again changes nothing.',
    side_effect_class: 'reversible_write',
    input: {
      session_id: Text(64, 'Id of the lease, lse_…'),
      reason: Type.Optional(Text(500, 'Why it is revoked.')),
    },
    output: { session: SessionLease },
  }),
];
