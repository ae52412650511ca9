import { Type, type Static } from 'typebox';
import { Count, Flag, List, Nullable, OneOf, Text } from './field.js';
import { ENVIRONMENTS, ROUTING_CLASSES, SIDE_EFFECTS } from './tool-contract.js';
import { SKILL_STATES, TARGET_STATUSES } from './target.js';

/** Everything a decision may depend on; the decision point looks nothing up (architecture, step 5). */
export const PolicyFacts = Type.Object(
  {
    grant: Type.Object({
      grant_id: Text(64),
      auth_method: Text(32),
      role: Text(32, 'empty for leases'),
      zone: Text(64),
      subnet_id: Text(64, 'empty: any'),
      target_id: Text(70, 'empty: any'),
      capability_profile: Text(64),
      capabilities: List(Text(64)),
      allowed_tools: List(Text(64)),
    }),
    tool: Type.Object({
      tool_id: Text(64),
      plane_id: Text(40),
      served_by: Text(32),
      side_effect_class: OneOf(SIDE_EFFECTS),
      routing_class: OneOf(ROUTING_CLASSES),
      required_capability: Text(64),
      allowed_environments: List(OneOf(ENVIRONMENTS)),
      approval: Text(16),
      dry_run: Text(16),
    }),
    target: Nullable(
      Type.Object({
        target_id: Text(70),
        zone: Text(64),
        subnet_id: Text(64),
        environment: OneOf(ENVIRONMENTS),
        status: OneOf(TARGET_STATUSES),
        reported: Flag(),
        skill_state: OneOf(SKILL_STATES),
        published: List(Text(64)),
        write_scope: Text(16),
        allowed_services: List(Text(64)),
        approval: Text(16, 'none, or writes: each change waits for an approver'),
        version: Count(),
      }),
    ),
    call: Type.Object({
      dry_run: Flag(),
      zone: Text(64, 'as claimed by header, empty: none'),
      subnet_id: Text(64, 'as claimed by header, empty: none'),
      service: Text(64, 'the service named in the arguments, empty: none'),
      approved: Flag('an approval of exactly this call stands, unused and in time'),
    }),
  },
  { additionalProperties: false },
);
export type PolicyFacts = Static<typeof PolicyFacts>;

/** For an allow on a target: what the permit is bound to (D13). `request_id` and digest for a write, absent for a read. */
export const PermitRequest = Type.Object({
  hub_id: Text(64),
  kind: OneOf(['read', 'write'] as const),
  request_id: Type.Optional(Text(128)),
  arguments_digest: Type.Optional(Text(64)),
});
export type PermitRequest = Static<typeof PermitRequest>;

export const DecideRequest = Type.Object({ facts: PolicyFacts, permit: Nullable(PermitRequest) });
export type DecideRequest = Static<typeof DecideRequest>;

/** What a policy may have masked in a result besides secrets. */
export const OBLIGED_MASKS = ['email', 'ip_address'] as const;

/** What an allow is tied to; router enforces each of them. Limits only lower those of the tool's contract. */
export const Obligations = Type.Object(
  {
    max_result_bytes: Nullable(Count('a larger result is withheld')),
    rate_per_minute: Nullable(Count('calls of one credential and tool a minute')),
    redact: List(OneOf(OBLIGED_MASKS), 8),
  },
  { additionalProperties: false },
);
export type Obligations = Static<typeof Obligations>;

export const NO_OBLIGATIONS: Obligations = Object.freeze({
  max_result_bytes: null,
  rate_per_minute: null,
  redact: [],
});

/** As the record tells them and a policy writes them: `max_result_bytes=4096`. */
export const obligationWords = ({ max_result_bytes, rate_per_minute, redact }: Obligations): string[] => [
  ...(max_result_bytes === null ? [] : [`max_result_bytes=${max_result_bytes}`]),
  ...(rate_per_minute === null ? [] : [`rate_per_minute=${rate_per_minute}`]),
  ...(redact.length === 0 ? [] : [`redact=${redact.join(',')}`]),
];

/**
 * `code` is a code of the error table for a denial. `explanation` is for the caller: what would be needed, and nothing of other tenants or
 * rules. `operator_explanation` is for the record: which policy, which fact had which value.
 */
export const Decision = Type.Object({
  decision_id: Text(64),
  decision: OneOf(['allow', 'deny', 'require_approval'] as const),
  code: Nullable(Text(64)),
  explanation: Text(500),
  operator_explanation: Text(1000),
  determining_rules: List(Text(120)),
  obligations: Obligations,
  policy_revision: Text(64),
  permit: Nullable(Type.String({ maxLength: 4096 })),
  permit_id: Nullable(Text(64)),
  permit_expires_at: Nullable(Text(32)),
});
export type Decision = Static<typeof Decision>;
