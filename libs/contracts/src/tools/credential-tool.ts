import { Type } from 'typebox';
import { OneOf, Text } from '../nouns/field.js';
import { defineTool, LIST_BYTES, type ToolSource } from './define.js';

type CredentialTool = Pick<
  ToolSource,
  'tool_id' | 'title' | 'summary' | 'input' | 'output' | 'side_effect_class'
> &
  Partial<ToolSource>;

/** A tool of the session service over leases, tokens, keys or operators. */
export const credentialTool = (source: CredentialTool) =>
  defineTool({
    surface: 'operations',
    plane_id: 'infra_ops',
    served_by: 'session',
    routing_class:
      source.side_effect_class === 'none' ? 'operational_live_read' : 'operational_bounded_write',
    required_capability: source.tool_id,
    // An act on root, whatever the target's environment; what the bearer may do there is decided at each call.
    allowed_environments: ['test', 'staging', 'production'],
    // Operators and pipelines issue many at a time; what a bearer may do is limited where it is used.
    rate_limit: { points: 1_200, duration_s: 60 },
    timeout_ms: 5_000,
    ...(source.side_effect_class === 'none' && { max_result_bytes: LIST_BYTES }),
    ...source,
  });

/** Arguments of every list of bearers. */
export const CREDENTIAL_FILTERS = {
  status: Type.Optional(
    OneOf(['active', 'expired', 'revoked'] as const, 'Only those in this state, as of now.'),
  ),
  active_only: Type.Optional(Type.Boolean({ description: 'true: only those that open something now.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
  cursor: Type.Optional(Text(200, 'next_cursor of the page before.')),
};

/** What a bearer on a target is issued with. */
export const GRANT_ARGUMENTS = {
  capability_profile: Text(64, 'Profile such as InfraOpsRead.'),
  capabilities: Type.Optional(
    Type.Array(Text(64), { maxItems: 100, description: 'A subset of the capabilities of the profile.' }),
  ),
  note: Type.Optional(Text(500, 'Why it is issued.')),
};

export const ttl = ({ min, max }: { min: number; max: number }, description: string) =>
  Type.Optional(Type.Integer({ minimum: min, maximum: max, description }));

export const REASON = Type.Optional(Text(500, 'Why it is revoked.'));
