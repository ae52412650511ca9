import { Type, type Static } from 'typebox';
import { Json, Nullable, OneOf, Text, Timestamp } from './field.js';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'used', 'expired'] as const;

/** Milliseconds. A request waits a day for somebody to look; what was approved is to be used while the reviewer's picture still holds. */
export const APPROVAL_LIFE = { pending_ms: 24 * 3_600_000, approved_ms: 3_600_000 } as const;
/** Requests one credential may have waiting: more would bury what a reviewer has to read. */
export const MAX_PENDING_APPROVALS = 20;

/**
 * One change that waits for, or has, somebody's yes. It is bound to who asked, what with and where (D9): an approval of one change is
 * none of another. `status` is judged at every read, so a lapsed one never shows as pending or approved.
 */
export const Approval = Type.Object(
  {
    approval_id: Text(64),
    status: OneOf(APPROVAL_STATUSES),
    zone: Text(64),
    subnet_id: Nullable(Text(64)),
    target_id: Nullable(Text(70)),
    tool_id: Text(64),
    grant_id: Text(64),
    requested_by: Text(128),
    event_id: Text(64, 'the call that was stopped for it'),
    arguments: Json(),
    arguments_digest: Text(64),
    requested_at: Timestamp(),
    expires_at: Timestamp(),
    decided_at: Nullable(Timestamp()),
    decided_by: Nullable(Text(128)),
    reason: Nullable(Text(500)),
    used_at: Nullable(Timestamp()),
    used_by_event_id: Nullable(Text(64)),
  },
  { additionalProperties: false },
);
export type Approval = Static<typeof Approval>;

/** What an approval must agree with to let a call through. */
export type ApprovalBinding = Pick<
  Approval,
  'zone' | 'grant_id' | 'tool_id' | 'target_id' | 'arguments_digest'
>;
