import type { ROLES, SessionLease } from '@adaos/contracts';
import type { AnySql } from './fault.js';
import { storableText } from './text.js';

/** What a bearer of the table is; each is the auth method of its grant. */
export const CREDENTIAL_KINDS = ['mcp_session_lease', 'access_token', 'api_key'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/**
 * A bearer with a deadline, as stored; its id is `session_id` whatever its kind. `revoked_at` may lie ahead: then it is live until then.
 * An API key may have no target and no subnet of its own.
 */
export interface Credential extends Omit<SessionLease, 'target_id' | 'subnet_id'> {
  readonly kind: CredentialKind;
  readonly target_id: string | null;
  readonly subnet_id: string | null;
  /** Grant id of who issued it. */
  readonly issuer_id: string;
  readonly name: string | null;
  /** The role that an API key stands for; null where its capabilities are listed one by one. */
  readonly role: (typeof ROLES)[number] | null;
  /** Profiles that an API key may issue; null for any within what it holds. */
  readonly issue_profiles: string[] | null;
}

type Judged =
  | 'status'
  | 'use_count'
  | 'last_used_at'
  | 'last_tool_id'
  | 'revoked_at'
  | 'revoked_by'
  | 'revoke_reason'
  | 'rotated_from';
type OfKeys = 'name' | 'role' | 'issue_profiles' | 'kind';

/** A new credential; `token_hmac` is HMAC(key, digest of the secret) and never leaves the table. */
export type NewLease = Omit<Credential, Judged | OfKeys> &
  Partial<Pick<Credential, OfKeys | 'rotated_from'>> & { token_hmac: Uint8Array };

/** Whose rows a caller may reach at all; part of every statement, so that nothing is read and then thrown away. */
export interface LeaseScope {
  readonly zone: string;
  readonly kind?: CredentialKind;
  readonly subnet_id?: string;
  readonly target_id?: string;
}

const FENCES = ['zone', 'kind', 'subnet_id', 'target_id'] as const;

/** The scope as conditions that begin with `and`. */
export const within = (sql: AnySql, scope: Partial<LeaseScope>) =>
  FENCES.map((column) => {
    const value = scope[column];
    return value === undefined ? sql`` : sql`and l.${sql(column)} = ${storableText(value)}`;
  });

/** Conditions on `l` as of `now`: a lapsed or taken back credential is never active. */
export const judged = (sql: AnySql, now: string) => ({
  active: sql`(l.revoked_at is null or l.revoked_at > ${now}) and l.deadline_at > ${now}`,
  expired: sql`(l.revoked_at is null or l.revoked_at > ${now}) and l.deadline_at <= ${now}`,
  revoked: sql`l.revoked_at <= ${now}`,
});

/** Credentials with their use and the status as of `now`. */
export const selectLeases = (sql: AnySql, now: string, where: ReturnType<AnySql>) => sql<Credential[]>`
  select l.session_id, l.kind, l.audience, l.actor, l.issued_by, l.issuer_id, l.target_id, l.subnet_id, l.zone, l.capability_profile,
    l.profile_version, l.capabilities, l.allowed_tools, l.created_at, l.deadline_at, l.ttl_seconds,
    u.last_used_at, coalesce(u.use_count, 0) as use_count, u.last_tool_id,
    case when l.revoked_at <= ${now} then 'revoked' when l.deadline_at <= ${now} then 'expired' else 'active' end as status,
    l.note, l.revoked_at, l.revoked_by, l.revoke_reason, l.rotated_from, l.name, l.role, l.issue_profiles
  from leases l left join lease_usage u using (session_id)
  where ${where}`;
