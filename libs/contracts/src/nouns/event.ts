import { Type, type Static } from 'typebox';
import { CALL_STATUSES, ErrorShape, Redaction } from './call.js';
import { Count, Flag, Json, List, Nullable, OneOf, sensitive, Text, Timestamp } from './field.js';

/** `opened` before a write is dispatched, `closed` with its outcome, `late` when the hub's outcome came after the answer. */
export const RECORD_PHASES = ['opened', 'closed', 'late'] as const;
export const EVENT_STATUSES = [...CALL_STATUSES, 'open', 'indeterminate'] as const;

/** What became of a bearer, beside the call that did it: made by session. */
export const CREDENTIAL_EVENTS = [
  'auth.admitted',
  'lease.issued',
  'lease.rotated',
  'lease.revoked',
  'lease.expired',
  'token.issued',
  'token.revoked',
  'token.expired',
  'key.issued',
  'key.revoked',
  'key.expired',
  'operator.created',
  'operator.changed',
  'operator.rotated',
] as const;
export type CredentialEvent = (typeof CREDENTIAL_EVENTS)[number];

/** The operational event (seed fields plus contracts.md). `seq`, `prev_hash` and `hash` are given by audit when it stores it. */
export const OperationalEvent = Type.Object({
  event_id: Text(64),
  event_type: Text(64),
  phase: OneOf(RECORD_PHASES),
  trace_id: Text(32),
  request_id: Text(128),
  surface: Nullable(Text(32)),
  zone: Text(64),
  subnet_id: Nullable(Text(64)),
  actor: Nullable(Text(128)),
  auth_method: Nullable(Text(32)),
  lease_id: Nullable(Text(64)),
  target_id: Nullable(Text(70)),
  tool_id: Nullable(Text(256)),
  plane_id: Nullable(Text(40)),
  capability: Nullable(Text(64)),
  routing_class: Nullable(Text(40)),
  side_effect_class: Nullable(Text(40)),
  policy_decision: Nullable(OneOf(['allow', 'deny', 'require_approval'] as const)),
  decision_id: Nullable(Text(64)),
  determining_rules: List(Text(120)),
  policy_revision: Nullable(Text(64)),
  // Which policy, which fact: for operators alone, since a rule of the zone may name what a lease must not learn of.
  policy_explanation: sensitive(Nullable(Text(1000))),
  obligations: List(Text(80), 8),
  // What was decided by, compact (policy-facts.ts), so that a proposed policy can be tried on what really happened.
  facts_digest: Nullable(Text(64)),
  policy_facts: sensitive(Nullable(Json())),
  permit_id: Nullable(Text(64)),
  approval_id: Nullable(Text(64)),
  execution_adapter: Nullable(Text(64)),
  dry_run: Flag(),
  status: OneOf(EVENT_STATUSES),
  started_at: Timestamp(),
  finished_at: Nullable(Timestamp()),
  arguments_digest: Nullable(Text(64)),
  arguments_redacted: Nullable(Json()),
  result_summary: Nullable(Json()),
  error: Nullable(ErrorShape),
  redactions: List(Redaction),
  timings: Type.Record(Type.String(), Type.Number()),
  cause_event_id: Nullable(Text(64)),
  client: Json(),
  source: OneOf(['root_local', 'subnet_active'] as const),
  attempt: Count(),
});
export type OperationalEvent = Static<typeof OperationalEvent>;

/** What an event says of itself before anything is known: each writer adds what it learned. Fresh lists and objects at each call. */
export const blankEvent = () =>
  ({
    surface: null,
    subnet_id: null,
    actor: null,
    auth_method: null,
    lease_id: null,
    target_id: null,
    tool_id: null,
    plane_id: null,
    capability: null,
    routing_class: null,
    side_effect_class: null,
    policy_decision: null,
    decision_id: null,
    determining_rules: [],
    policy_revision: null,
    policy_explanation: null,
    obligations: [],
    facts_digest: null,
    policy_facts: null,
    permit_id: null,
    approval_id: null,
    execution_adapter: null,
    dry_run: false,
    finished_at: null,
    arguments_digest: null,
    arguments_redacted: null,
    result_summary: null,
    error: null,
    redactions: [],
    timings: {},
    cause_event_id: null,
    source: 'root_local',
    attempt: 1,
  }) satisfies Partial<OperationalEvent>;

/** An event as stored: with its place in the zone's chain. */
export type StoredEvent = OperationalEvent & { seq: number; prev_hash: string; hash: string };
