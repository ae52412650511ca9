import { Type, type Static } from 'typebox';
import { InputAsked, InputGiven } from './input.js';
import { Count, Flag, Json, List, Nullable, OneOf, Text } from './field.js';

export const CALL_STATUSES = [
  'succeeded',
  'denied',
  'failed',
  'timed_out',
  'cancelled',
  'approval_required',
  'input_required',
] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

export const ErrorShape = Type.Object({ code: Text(64), message: Text(600), details: Type.Optional(Json()) });
/** What was masked: by which rule, how often. Never what. */
export const Redaction = Type.Object({ rule: Text(64), count: Count() });
export type Redaction = Static<typeof Redaction>;
/** Where an answer comes from and whether it is all of it: a partial answer says so. */
export const Provenance = Type.Object({
  source: OneOf(['root_local', 'subnet_active'] as const),
  adapter: Text(64),
  complete: Flag(),
  note: Type.Optional(Text(300)),
});
export type Provenance = Static<typeof Provenance>;

/** facade → router. The raw bearer stays at the edge; only its SHA-256 travels. `deadline_at` is in the headers. */
export const CallRequest = Type.Object(
  {
    call_id: Text(64, 'made by the edge, names this attempt in call.cancelled'),
    bearer_digest: Nullable(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    zone: Nullable(Text(64, 'X-AdaOS-Zone, may only narrow')),
    subnet_id: Nullable(Text(64, 'X-AdaOS-Subnet-Id, may only narrow')),
    name: Text(256, 'tool id or MCP name, as sent'),
    arguments: Type.Unknown(),
    dry_run: Type.Optional(Flag()),
    request_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' })),
    trace_id: Type.Optional(Type.String({ pattern: '^(?!0{32})[0-9a-f]{32}$' })),
    approval_id: Type.Optional(Text(64)),
    progress: Type.Optional(Flag('the caller wants call.progress events')),
    input: Type.Optional(InputGiven),
    client: Type.Object({
      name: Text(128),
      version: Text(64),
      via: OneOf(['mcp', 'rest', 'nats'] as const),
      address: Text(64),
    }),
  },
  { additionalProperties: false },
);
export type CallRequest = Static<typeof CallRequest>;

/** facade → router: who is this, for requests that call no tool (initialize, ping, 405). */
export const IdentifyRequest = Type.Pick(CallRequest, [
  'bearer_digest',
  'zone',
  'subnet_id',
  'client',
  'trace_id',
]);
export type IdentifyRequest = Static<typeof IdentifyRequest>;

/** What a bearer's tools are asked for when it is not to list or call them; the record names it. */
export const LIST_PURPOSES = [
  'resource.list',
  'resource_template.list',
  'resource.subscribe',
  'prompt.list',
  'prompt.get',
  'completion.complete',
  'subscription.listen',
] as const;
export type ListPurpose = (typeof LIST_PURPOSES)[number];

/** facade → router: which tools may this bearer see, for a list of another kind. */
export const ListedRequest = Type.Object({
  ...IdentifyRequest.properties,
  purpose: OneOf(LIST_PURPOSES),
});
export type ListedRequest = Static<typeof ListedRequest>;

/** `digest` changes when the list does. */
export interface Listed {
  readonly tool_ids: readonly string[];
  readonly digest: string;
  readonly identity: Identity;
}

/** Bearers that one standing request may ask about. */
export const MAX_STANDINGS = 256;

/** facade → router: do the bearers of open streams still hold. Leaves no event: nobody asked for anything. */
export const StandingRequest = Type.Object({
  bearer_digests: List(Type.String({ pattern: '^[0-9a-f]{64}$' }), MAX_STANDINGS),
  /** Also answer the digest of what each lists; costs a look at its target. */
  lists: Flag(),
});
export type StandingRequest = Static<typeof StandingRequest>;

/** In the order asked. `code` says why a bearer holds no more; `digest` is null where it was not asked for. */
export interface Standing {
  readonly code: string | null;
  readonly digest: string | null;
}

/** What the edge may know of a bearer: nothing it could decide by. */
export interface Identity {
  readonly actor: string;
  readonly grant_id: string;
  readonly capability_profile: string;
  readonly target_id: string | null;
  readonly subnet_id: string | null;
  readonly zone: string;
  readonly deadline_at: string;
}

/** facade → router: a request refused before it became a call (odd JSON, bad header, batch), to be recorded. */
export const RefuseRequest = Type.Object(
  {
    ...IdentifyRequest.properties,
    code: Text(64),
    message: Text(600),
    details: Type.Optional(Json()),
  },
  { additionalProperties: false },
);
export type RefuseRequest = Static<typeof RefuseRequest>;

/** The answer to every call, allowed or not (contracts.md, "Envelope of a call"). */
export const Envelope = Type.Object({
  request_id: Text(128),
  trace_id: Text(32),
  tool_id: Text(256),
  surface: Nullable(Text(32)),
  ok: Flag(),
  status: OneOf(CALL_STATUSES),
  dry_run: Flag(),
  result: Type.Optional(Json()),
  error: Type.Optional(ErrorShape),
  redactions: List(Redaction),
  truncated: Type.Optional(Flag()),
  provenance: Type.Optional(Provenance),
  input: Type.Optional(InputAsked),
  audit_event_id: Nullable(Text(64)),
  meta: Json(),
});
export type Envelope = Static<typeof Envelope>;

/** router → hub agent, or router → the root service that serves the tool. `permit` is set for hub calls, `grant` for root ones. */
export const ExecRequest = Type.Object({
  event_id: Text(64),
  request_id: Text(128),
  trace_id: Text(32),
  lease_id: Text(64),
  actor: Text(128),
  tool_id: Text(64),
  target_id: Nullable(Text(70)),
  subnet_id: Nullable(Text(64)),
  arguments: Json(),
  arguments_digest: Text(64),
  dry_run: Flag(),
  permit: Type.Optional(Type.String({ maxLength: 4096 })),
  grant: Type.Optional(Type.Unknown()),
  progress: Type.Optional(Flag('somebody listens: report progress')),
  input: Type.Optional(InputGiven),
});
export type ExecRequest = Static<typeof ExecRequest>;

/** What came of it on the executing side. A refusal is a value, not a throw. */
export const ExecReply = Type.Object({
  status: OneOf(CALL_STATUSES),
  result: Type.Optional(Json()),
  error: Type.Optional(ErrorShape),
  redactions: List(Redaction),
  truncated: Type.Optional(Flag()),
  provenance: Type.Optional(Provenance),
  input: Type.Optional(InputAsked),
  adapter: Text(64),
  adapter_ms: Type.Number(),
  replayed: Type.Optional(Flag('the first result of this request id, not a new effect')),
});
export type ExecReply = Static<typeof ExecReply>;
