import { Type } from 'typebox';
import { API_KEY_TTL, ApiKey, CredentialSummary } from '../nouns/credential.js';
import { List, Nullable, OneOf, Text } from '../nouns/field.js';
import { Operator } from '../nouns/operator.js';
import { ROLES } from '../nouns/tool-contract.js';
import { credentialTool, CREDENTIAL_FILTERS, REASON, ttl } from './credential-tool.js';

type Source = Parameters<typeof credentialTool>[0];
/** Who may open the zone at all is the admins' to say. */
const admin = (source: Source) =>
  credentialTool({
    plane_id: 'zone_admin',
    operator_roles: ['admin'],
    // A person's act, not a pipeline's.
    rate_limit: { points: 120, duration_s: 60 },
    ...source,
  });

// As it stands in every record after `operator:` or `api_key:`.
const Name = (description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$', description });
const OperatorId = Text(64, 'Id of the operator, opr_…');

/** The people who run a zone. */
const OPERATOR_TOOLS = [
  admin({
    tool_id: 'zone.create_operator',
    title: 'Create an operator',
    summary: 'Makes an operator with a role. Its token is in the answer once and can not be read again.',
    side_effect_class: 'reversible_write',
    idempotency: 'none',
    input: {
      name: Name('Short name, unique in the zone; stands in the record.'),
      role: OneOf(ROLES, 'viewer looks, operator acts, approver approves, admin also decides who may.'),
    },
    output: { operator: Operator, token: Type.String() },
  }),
  admin({
    tool_id: 'zone.list_operators',
    title: 'List operators',
    summary: 'Operators of the zone with role, state and last use.',
    side_effect_class: 'none',
    input: {
      operator_id: Type.Optional(OperatorId),
      role: Type.Optional(OneOf(ROLES, 'Only this role.')),
      status: Type.Optional(OneOf(['active', 'disabled'] as const, 'Only those in this state.')),
      limit: CREDENTIAL_FILTERS.limit,
      cursor: CREDENTIAL_FILTERS.cursor,
    },
    output: { operators: List(Operator, 200), next_cursor: Nullable(Text(200)) },
  }),
  admin({
    tool_id: 'zone.set_operator',
    title: 'Change an operator',
    summary:
      'Gives an operator another role, disables or enables it, at once on every replica. What it issued ends where it no longer holds that itself. The last admin stays one.',
    side_effect_class: 'reversible_write',
    input: {
      operator_id: OperatorId,
      role: Type.Optional(OneOf(ROLES, 'The new role.')),
      disabled: Type.Optional(Type.Boolean({ description: 'true: its token opens nothing until enabled.' })),
    },
    output: { operator: Operator, ended_count: Type.Integer({ minimum: 0 }) },
  }),
  admin({
    tool_id: 'zone.rotate_operator',
    title: 'Rotate an operator’s token',
    summary: 'Gives an operator a new token; the old one opens nothing any more. The new one is shown once.',
    side_effect_class: 'reversible_write',
    idempotency: 'none',
    input: { operator_id: OperatorId },
    output: { operator: Operator, token: Type.String() },
  }),
];

/** Keys of pipelines. */
const KEY_TOOLS = [
  admin({
    tool_id: 'zone.create_api_key',
    title: 'Create an API key',
    summary:
      'Makes a key for a pipeline: a role, or capabilities and profiles one by one, within what its maker holds. The key is in the answer once.',
    side_effect_class: 'reversible_write',
    idempotency: 'none',
    input: {
      name: Name('Short name; stands in the record.'),
      role: Type.Optional(
        OneOf(ROLES, 'The key may do what this role may, but never make operators or keys.'),
      ),
      capabilities: Type.Optional(
        Type.Array(Text(64), { maxItems: 200, description: 'Instead of a role: what the key may do.' }),
      ),
      issue_profiles: Type.Optional(
        Type.Array(Text(64), {
          maxItems: 50,
          description: 'Profiles of which the key may issue leases and tokens; it holds their capabilities.',
        }),
      ),
      target_id: Type.Optional(Text(70, 'Only for this target.')),
      subnet_id: Type.Optional(Text(64, 'Only for targets of this subnet.')),
      ttl_seconds: ttl(API_KEY_TTL, 'Life of the key, at most a year; default 90 days.'),
      note: Type.Optional(Text(500, 'What it is for.')),
    },
    output: { key: ApiKey, api_key: Type.String() },
  }),
  admin({
    tool_id: 'zone.list_api_keys',
    title: 'List API keys',
    summary: 'API keys of the zone with scope, deadline and use, newest first.',
    side_effect_class: 'none',
    input: { ...CREDENTIAL_FILTERS, key_id: Type.Optional(Text(64, 'Only this key.')) },
    output: {
      keys: List(ApiKey, 200),
      next_cursor: Nullable(Text(200)),
      summary: Nullable(CredentialSummary),
    },
  }),
  admin({
    tool_id: 'zone.revoke_api_key',
    title: 'Revoke an API key',
    summary: 'Ends a key and what was issued with it, now, on every replica.',
    side_effect_class: 'reversible_write',
    input: { key_id: Text(64, 'Id of the key, key_…'), reason: REASON },
    output: { key: ApiKey },
  }),
];

export const ZONE_ACCESS_TOOLS = [...OPERATOR_TOOLS, ...KEY_TOOLS];

/** Capabilities that no key ever holds: what one makes with them would outlive the key. */
export const OPERATORS_ONLY: readonly string[] = ZONE_ACCESS_TOOLS.map((tool) => tool.required_capability);
