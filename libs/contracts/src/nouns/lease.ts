import { Type, type Static } from 'typebox';
import { Count, List, Nullable, OneOf, Text, Timestamp } from './field.js';

/** Seconds. Thirty days stays below the 2^31 ms limit of timers only because nothing ever arms one for a lease. */
export const LEASE_TTL = { min: 60, max: 30 * 86_400, default: 4 * 3_600 } as const;

/** MCP session lease as shown to operators: the secret and its hash are not part of it. */
export const SessionLease = Type.Object(
  {
    session_id: Text(64),
    audience: Text(128),
    actor: Text(128),
    issued_by: Text(128),
    target_id: Text(70),
    subnet_id: Text(64),
    zone: Text(64),
    capability_profile: Text(64),
    profile_version: Count(),
    capabilities: List(Text(64)),
    allowed_tools: List(Text(64)),
    created_at: Timestamp(),
    deadline_at: Timestamp(),
    ttl_seconds: Count(),
    last_used_at: Nullable(Timestamp()),
    use_count: Count(),
    last_tool_id: Nullable(Text(64)),
    status: OneOf(['active', 'expired', 'revoked'] as const),
    note: Text(500),
    // May lie ahead: an active lease with it was rotated, and ends there.
    revoked_at: Nullable(Timestamp()),
    revoked_by: Nullable(Text(128)),
    revoke_reason: Nullable(Text(500)),
    rotated_from: Nullable(Text(64)),
  },
  { additionalProperties: false },
);
export type SessionLease = Static<typeof SessionLease>;
