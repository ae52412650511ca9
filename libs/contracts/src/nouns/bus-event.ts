import { Type, type Static } from 'typebox';
import { ExecReply } from './call.js';
import { Count, OneOf, Text } from './field.js';

/** Bodies of `mcp.v1.event.*`: checked by whoever hears them, since an event can't be answered with an error. */
export const LeaseRevoked = Type.Object({ lease_id: Text(64), target_id: Text(70), epoch: Count() });
export type LeaseRevoked = Static<typeof LeaseRevoked>;

export const TargetChanged = Type.Object({ target_id: Text(70) });
export type TargetChanged = Static<typeof TargetChanged>;

export const PolicyChanged = Type.Object({ revision: Text(64) });
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

export const CallOutcome = Type.Object({ event_id: Text(64), reply: ExecReply });
export type CallOutcome = Static<typeof CallOutcome>;

/** What a hub answers when asked for the outcome of a write. */
export const JournalAnswer = Type.Object({
  known: Type.Boolean(),
  running: Type.Optional(Type.Boolean()),
  reply: Type.Optional(ExecReply),
});
export type JournalAnswer = Static<typeof JournalAnswer>;
