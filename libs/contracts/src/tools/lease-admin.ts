import { Type } from 'typebox';
import { CredentialSummary } from '../nouns/credential.js';
import { LEASE_TTL, SessionLease } from '../nouns/lease.js';
import { List, Nullable, Text } from '../nouns/field.js';
import { credentialTool, CREDENTIAL_FILTERS, GRANT_ARGUMENTS, REASON, ttl } from './credential-tool.js';

/** Leases of a target, issued and taken back through the same pipeline as every other call. */
export const LEASE_TOOLS = [
  credentialTool({
    tool_id: 'hub.issue_mcp_session',
    title: 'Issue a lease',
    summary:
      'Issues an MCP session lease on a target. The bearer is in the answer once and can not be read again.',
    side_effect_class: 'reversible_write',
    idempotency: 'none',
    input: {
      ...GRANT_ARGUMENTS,
      ttl_seconds: ttl(LEASE_TTL, 'Life of the lease, default four hours.'),
      audience: Type.Optional(Text(128, 'Who gets it, for example codex.')),
    },
    output: { session: SessionLease, bearer: Type.String() },
  }),
  credentialTool({
    tool_id: 'hub.list_mcp_sessions',
    version: 2,
    title: 'List leases',
    summary:
      'Leases of the target with deadline, last use and use count, newest first. A lapsed lease never shows as active.',
    side_effect_class: 'none',
    input: {
      ...CREDENTIAL_FILTERS,
      session_id: Type.Optional(Text(64, 'Only this lease.')),
      audience: Type.Optional(Text(128, 'Only leases for this audience.')),
      capability_profile: Type.Optional(Text(64, 'Only leases of this profile.')),
    },
    output: {
      sessions: List(SessionLease, 200),
      next_cursor: Nullable(Text(200)),
      summary: Nullable(CredentialSummary),
    },
  }),
  credentialTool({
    tool_id: 'hub.revoke_mcp_session',
    title: 'Revoke a lease',
    summary:
      'Ends a lease now on every replica, with what was issued under it and what it was rotated into. Revoking it again changes nothing.',
    side_effect_class: 'reversible_write',
    input: { session_id: Text(64, 'Id of the lease, lse_…'), reason: REASON },
    output: { session: SessionLease },
  }),
  credentialTool({
    tool_id: 'hub.rotate_mcp_session',
    title: 'Rotate a lease',
    summary:
      'Gives a lease a new bearer with the same grant and deadline, under a new id. The old bearer ends now, or after overlap_seconds.',
    side_effect_class: 'reversible_write',
    idempotency: 'none',
    input: {
      session_id: Type.Optional(Text(64, 'Id of the lease, lse_…; may be left out by the lease itself.')),
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 3_600,
          description: 'Seconds the old bearer still works; default 0.',
        }),
      ),
      ttl_seconds: ttl(LEASE_TTL, 'Life of the new bearer; left out, it ends when the old one would.'),
      note: Type.Optional(Text(500, 'Replaces the note.')),
    },
    output: {
      session: SessionLease,
      bearer: Type.String(),
      previous: SessionLease,
    },
  }),
];
