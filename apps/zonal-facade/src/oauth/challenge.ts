import type { TrustFacts } from '@adaos/contracts';
import type { Caller } from '../caller.js';
import type { Failure } from '../failure.js';

type Oauth = NonNullable<TrustFacts['oauth']>;

/** Where the metadata of a protected resource lies: its path goes behind the well-known one (RFC 9728, section 3.1). */
export const WELL_KNOWN = '/.well-known/oauth-protected-resource';
export const metadataUrl = ({ resource }: Pick<Oauth, 'resource'>): string => {
  const { origin, pathname } = new URL(resource);
  return origin + WELL_KNOWN + (pathname === '/' ? '' : pathname);
};

/**
 * The challenge of a 401. In lease mode, and for a bearer of our own in either mode, without `resource_metadata`: a client would start an OAuth
 * dance with nobody (reference, 6.7), or replace the lease it was given. No `error` when nothing was sent (RFC 6750, section 3).
 */
export function challengeOf(
  { credentials, oauth }: Pick<Caller, 'credentials' | 'oauth'>,
  message: string,
): string {
  const error = credentials.sent ? [`error="invalid_token"`, `error_description="${quotable(message)}"`] : [];
  const where = oauth && !credentials.own ? whereToGo(oauth, oauth.default_scopes) : [];
  return `Bearer ${['realm="root-mcp"', ...error, ...where].join(', ')}`;
}

/**
 * The scopes that would let a client do what it was refused, when another scope would help at all: for tokens of an authorization server alone,
 * and only they are told profiles.
 */
export function stepUpScopes({ details }: Pick<Failure, 'details'>, oauth: Oauth | null): string[] | null {
  const profiles = details?.['required_profiles'];
  if (!oauth || !Array.isArray(profiles)) return null;
  return profiles.filter((id): id is string => typeof id === 'string').map((id) => oauth.scope_prefix + id);
}

/** The challenge of a 403 that asks for more: all scopes the next token needs, those it has included. */
export const stepUpChallenge = (oauth: Oauth, scopes: readonly string[], message: string): string =>
  `Bearer ${[
    'realm="root-mcp"',
    'error="insufficient_scope"',
    `error_description="${quotable(message)}"`,
    ...whereToGo(oauth, scopes),
  ].join(', ')}`;

const whereToGo = (oauth: Oauth, scopes: readonly string[]): string[] => [
  `resource_metadata="${metadataUrl(oauth)}"`,
  ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
];

// Inside a quoted string of a header.
const quotable = (text: string) => text.replace(/[^\x20-\x7e]/g, ' ').replace(/["\\]/g, "'");
