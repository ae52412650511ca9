import { Type, type Static } from 'typebox';
import { ExecReply } from './call.js';
import { Count, Flag, Nullable, OneOf, Text } from './field.js';

/** Bodies of `mcp.v1.event.*`: checked by whoever hears them, since an event can't be answered with an error. */
/**
 * Grants of `lease_id` (a lease, token, key or operator) end where they are: caches drop it, streams close, calls that run are ended. With
 * `final: false` its bearer may open something again, so session is asked and nobody remembers it as dead: an operator with another role or
 * token, a lease in the overlap of its rotation. Their calls go on and are judged at their end, unless `ends_calls` says otherwise: an
 * operator who was disabled, and may be enabled again.
 */
export const LeaseRevoked = Type.Object({
  lease_id: Text(64),
  target_id: Nullable(Text(70, 'null: any of the zone')),
  epoch: Count(),
  final: Type.Optional(Flag('absent: true')),
  ends_calls: Type.Optional(Flag('absent: as final')),
});
export type LeaseRevoked = Static<typeof LeaseRevoked>;

export const TargetChanged = Type.Object({ target_id: Text(70) });
export type TargetChanged = Static<typeof TargetChanged>;

/** `version` counts the zone's versions: a policy replica that hears of a newer one than it has must get it or stop deciding. */
export const PolicyChanged = Type.Object({ revision: Text(64), version: Type.Optional(Count()) });
export type PolicyChanged = Static<typeof PolicyChanged>;

export const DescriptorPublished = Type.Object({ descriptor_id: Text(64), content_hash: Text(64) });
export type DescriptorPublished = Static<typeof DescriptorPublished>;

export const RecordCompleted = Type.Object({ event_id: Text(64) });
export type RecordCompleted = Static<typeof RecordCompleted>;

export const CallCancelled = Type.Object({
  call_id: Text(64),
  reason: OneOf(['cancelled', 'client_disconnected'] as const),
});
export type CallCancelled = Static<typeof CallCancelled>;

/** Body of `call.sought` and `call.held`. */
export const CallNamed = Type.Object({ call_id: Text(64) });
export type CallNamed = Static<typeof CallNamed>;

export const CallOutcome = Type.Object({ event_id: Text(64), reply: ExecReply });
export type CallOutcome = Static<typeof CallOutcome>;

/** What a hub answers when asked for the outcome of a write. */
export const JournalAnswer = Type.Object({
  known: Type.Boolean(),
  running: Type.Optional(Type.Boolean()),
  reply: Type.Optional(ExecReply),
});
export type JournalAnswer = Static<typeof JournalAnswer>;
