import { Type, type Static } from 'typebox';
import { Count, List, Nullable, OneOf, Text, Timestamp } from './field.js';
import { ROLES } from './tool-contract.js';

/** How a grant was proven: by a bearer of ours, or by a token of an issuer the zone trusts. */
export const AUTH_METHODS = [
  'mcp_session_lease',
  'access_token',
  'operator_token',
  'api_key',
  'oidc',
  'oauth_access_token',
] as const;

/**
 * What a bearer may do, frozen when it was issued (D4). Session answers it for a digest; nothing in a request can widen it.
 * `target_id: null` means every target of the zone (operators only).
 */
export const Grant = Type.Object(
  {
    grant_id: Text(64),
    auth_method: OneOf(AUTH_METHODS),
    actor: Text(128),
    role: Nullable(OneOf(ROLES)),
    zone: Text(64),
    subnet_id: Nullable(Text(64)),
    target_id: Nullable(Text(70)),
    audience: Text(128),
    capability_profile: Text(64),
    profile_version: Count(),
    capabilities: List(Text(64)),
    allowed_tools: List(Text(64)),
    deadline_at: Timestamp(),
  },
  { additionalProperties: false },
);
export type Grant = Static<typeof Grant>;
