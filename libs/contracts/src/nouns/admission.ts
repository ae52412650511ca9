import { Type, type Static } from 'typebox';
import { MAX_BEARER } from '../bearer.js';
import { Count, List, Nullable, OneOf, Text, Timestamp, secret } from './field.js';
import { ROLES } from './tool-contract.js';

/** How somebody known elsewhere came in: with a token of that issuer as the bearer, or through the console's sign-in page. */
export const ADMITTED_BY = ['token', 'sign_in'] as const;

/**
 * An identity or token of an issuer the zone trusts, checked by session and turned into a frozen grant. The token itself and its hash are not
 * part of it. `expires_at` is when it has to be shown again, `token_expires_at` when it ends for good.
 */
export const Admission = Type.Object(
  {
    admission_id: Text(64),
    auth_method: OneOf(['oidc', 'oauth_access_token'] as const),
    admitted_by: OneOf(ADMITTED_BY),
    issuer: Text(512),
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
    admitted_at: Timestamp(),
    expires_at: Timestamp(),
    token_expires_at: Timestamp(),
    status: OneOf(['active', 'expired', 'revoked'] as const),
    revoked_at: Nullable(Timestamp()),
    revoked_by: Nullable(Text(128)),
    revoke_reason: Nullable(Text(500)),
  },
  { additionalProperties: false },
);
export type Admission = Static<typeof Admission>;

/** facade → session. The only message that holds a bearer: a foreign one, to be checked. Never logged, never recorded. */
export const AdmitRequest = Type.Object(
  { bearer: secret(Type.String({ minLength: 1, maxLength: MAX_BEARER })) },
  { additionalProperties: false },
);
export type AdmitRequest = Static<typeof AdmitRequest>;

/** Until when the digest of that bearer resolves without being shown again. */
export interface Admitted {
  readonly expires_at: string;
}

/** What the edge has to tell of the issuers this zone trusts; null for what is off. Session alone is configured with them. */
export interface TrustFacts {
  readonly oauth: {
    /** Canonical MCP URL of the zone: the audience of tokens (RFC 8707). */
    readonly resource: string;
    readonly authorization_servers: readonly string[];
    readonly scope_prefix: string;
    readonly default_scopes: readonly string[];
  } | null;
  readonly oidc: { readonly name: string } | null;
}

/** Path on the console to go back to after signing in. */
const RETURN_TO = Type.String({ maxLength: 1_024 });

/** facade → session: begins a sign-in at the identity provider. */
export const SignInBegin = Type.Object(
  { redirect_uri: Type.String({ maxLength: 512 }), return_to: RETURN_TO },
  { additionalProperties: false },
);
export type SignInBegin = Static<typeof SignInBegin>;
export interface SignInBegun {
  readonly authorization_url: string;
  /** State, nonce and PKCE verifier, encrypted: for the browser to keep, for session alone to read. */
  readonly sealed: string;
}

/** facade → session: the browser came back. */
export const SignInFinish = Type.Object(
  {
    callback_url: Type.String({ maxLength: 8_192 }),
    sealed: secret(Type.String({ maxLength: 4_096 })),
  },
  { additionalProperties: false },
);
export type SignInFinish = Static<typeof SignInFinish>;
export interface SignedIn {
  readonly bearer: string;
  readonly expires_at: string;
  readonly return_to: string;
}

/** facade → session: the operator signs out. */
export const SignInEnd = Type.Object(
  { bearer_digest: Type.String({ pattern: '^[0-9a-f]{64}$' }) },
  { additionalProperties: false },
);
export type SignInEnd = Static<typeof SignInEnd>;
