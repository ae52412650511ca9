import { Type, type Static } from 'typebox';
import { Count, List, Nullable, OneOf, Text } from './field.js';
import { SessionLease } from './lease.js';
import { ROLES } from './tool-contract.js';

/** Seconds. */
export const ACCESS_TOKEN_TTL = { min: 60, max: 30 * 86_400, default: 3_600 } as const;
export const API_KEY_TTL = { min: 60, max: 365 * 86_400, default: 90 * 86_400 } as const;

const { session_id: _, rotated_from: __, ...shared } = SessionLease.properties;

/** Token of a native client as shown to operators: a lease under another name, without rotation. */
export const AccessToken = Type.Object({ token_id: Text(64), ...shared }, { additionalProperties: false });
export type AccessToken = Static<typeof AccessToken>;

const { audience: ___, target_id: ____, subnet_id: _____, ...of_key } = shared;

/** Key of a pipeline: a role, or capabilities one by one, for the zone or a part of it. */
export const ApiKey = Type.Object(
  {
    key_id: Text(64),
    name: Text(64),
    role: Nullable(OneOf(ROLES, 'the role it stands for; null where its capabilities were listed')),
    issue_profiles: Nullable(List(Text(64), 50)),
    ...of_key,
    target_id: Nullable(Text(70)),
    subnet_id: Nullable(Text(64)),
  },
  { additionalProperties: false },
);
export type ApiKey = Static<typeof ApiKey>;

/** How many there are of each status, judged when read. */
export const CredentialSummary = Type.Object({
  issued_count: Count(),
  active_count: Count(),
  expired_count: Count(),
  revoked_count: Count(),
  profiles: List(Type.Object({ capability_profile: Text(64), active_count: Count() }), 100),
});
export type CredentialSummary = Static<typeof CredentialSummary>;
