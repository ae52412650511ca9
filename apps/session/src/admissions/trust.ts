import { ROLES, SCOPE_PROFILES, type ProfileId, type Role } from '@adaos/contracts';
import { ConfigError, readSecret } from '@adaos/runtime';
import type { Static, TObject } from 'typebox';
import { isTrustedUrl } from './issuer-fetch.js';
import type { IdentitySettings } from './settings.js';

type Settings = Static<TObject<typeof IdentitySettings>>;

/** The identity provider of the operators. */
export interface OidcTrust {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string | null;
  readonly audience: string;
  readonly scopes: string;
  readonly role_claim: string;
  /** In order: the first whose value is in the claim decides. */
  readonly role_map: readonly { readonly value: string; readonly role: Role }[];
  readonly name: string;
  readonly session_s: number;
}

/** The authorization servers of MCP clients. */
export interface OauthTrust {
  readonly issuers: readonly string[];
  readonly resource: string;
  readonly jwks_url: string | null;
  /** Null: opaque tokens are not taken. */
  readonly introspection: {
    readonly url: string | null;
    readonly client_id: string;
    readonly client_secret: string;
    readonly ttl_s: number;
  } | null;
  readonly scope_prefix: string;
  readonly default_profiles: readonly ProfileId[];
  readonly target_claim: string | null;
  readonly default_target: string | null;
}

export interface Trust {
  readonly oidc: OidcTrust | null;
  readonly oauth: OauthTrust | null;
  readonly clock_skew_s: number;
}

/** The trust the settings describe, secrets read from their files. Throws ConfigError with every problem. */
export function readTrust(settings: Readonly<Settings>): Trust {
  const problems: string[] = [];
  const oidc = settings.OIDC_ISSUER === undefined ? null : readOidc(settings.OIDC_ISSUER, settings, problems);
  const issuers = entries(settings.OAUTH_ISSUERS);
  const oauth = issuers.length === 0 ? null : readOauth(issuers, settings, problems);
  for (const name of ['OIDC_ISSUER', 'OAUTH_RESOURCE', 'OAUTH_JWKS_URL', 'OAUTH_INTROSPECTION_URL'] as const)
    checkUrl(name, settings[name], problems);
  for (const issuer of issuers) checkUrl('OAUTH_ISSUERS', issuer, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return { oidc, oauth, clock_skew_s: settings.OIDC_CLOCK_SKEW_S };
}

function readOidc(issuer: string, settings: Readonly<Settings>, problems: string[]): OidcTrust {
  const { OIDC_CLIENT_ID: client_id = '', OIDC_CLIENT_SECRET_FILE: file } = settings;
  if (client_id === '') problems.push('OIDC_CLIENT_ID is missing');
  const role_map = entries(settings.OIDC_ROLE_MAP, /;/.test(settings.OIDC_ROLE_MAP) ? ';' : ',').flatMap(
    (entry) => {
      // The last one: a value may be a distinguished name.
      const at = entry.lastIndexOf('=');
      const role = entry.slice(at + 1) as Role;
      if (at > 0 && ROLES.includes(role)) return [{ value: entry.slice(0, at), role }];
      problems.push(`OIDC_ROLE_MAP: "${entry}" is not value=role, with a role of ${ROLES.join(', ')}`);
      return [];
    },
  );
  if (role_map.length === 0) problems.push('OIDC_ROLE_MAP is empty: nobody could come in');
  return {
    issuer,
    client_id,
    client_secret: file === undefined ? null : secretIn('OIDC_CLIENT_SECRET_FILE', file, problems),
    audience: settings.OIDC_AUDIENCE ?? client_id,
    scopes: settings.OIDC_SCOPES,
    role_claim: settings.OIDC_ROLE_CLAIM,
    role_map,
    name: settings.OIDC_NAME,
    session_s: settings.OIDC_SESSION_S,
  };
}

function readOauth(issuers: readonly string[], settings: Readonly<Settings>, problems: string[]): OauthTrust {
  const { OAUTH_RESOURCE: resource = '', OAUTH_INTROSPECTION_CLIENT_ID: client_id } = settings;
  if (resource === '')
    problems.push('OAUTH_RESOURCE is missing: without it a token of any audience would do');
  else if (/[?#]/.test(resource)) problems.push('OAUTH_RESOURCE may have no query and no fragment');
  if (issuers.length > 4) problems.push('OAUTH_ISSUERS names more than four');
  const one = ['OAUTH_JWKS_URL', 'OAUTH_INTROSPECTION_URL', 'OAUTH_INTROSPECTION_CLIENT_ID'] as const;
  if (issuers.length > 1)
    for (const name of one)
      if (settings[name] !== undefined) problems.push(`${name} is for one authorization server`);
  const profiles = entries(settings.OAUTH_DEFAULT_PROFILES);
  for (const profile of profiles)
    if (!(SCOPE_PROFILES as readonly string[]).includes(profile))
      problems.push(`OAUTH_DEFAULT_PROFILES: "${profile}" is none of ${SCOPE_PROFILES.join(', ')}`);
  const { OAUTH_TARGET_CLAIM: target_claim = null, OAUTH_DEFAULT_TARGET: default_target = null } = settings;
  if (target_claim === null && default_target === null)
    problems.push(
      'OAUTH_TARGET_CLAIM or OAUTH_DEFAULT_TARGET is needed: a token without a target gets nothing',
    );
  return {
    issuers,
    resource,
    jwks_url: settings.OAUTH_JWKS_URL ?? null,
    introspection:
      client_id === undefined
        ? null
        : {
            url: settings.OAUTH_INTROSPECTION_URL ?? null,
            client_id,
            client_secret: secretIn(
              'OAUTH_INTROSPECTION_SECRET_FILE',
              settings.OAUTH_INTROSPECTION_SECRET_FILE,
              problems,
            ),
            ttl_s: settings.OAUTH_INTROSPECTION_TTL_S,
          },
    scope_prefix: settings.OAUTH_SCOPE_PREFIX,
    default_profiles: profiles as ProfileId[],
    target_claim,
    default_target,
  };
}

function secretIn(name: string, file: string | undefined, problems: string[]): string {
  if (file === undefined) {
    problems.push(`${name} is missing`);
    return '';
  }
  try {
    return readSecret(name, file);
  } catch (error) {
    problems.push(...(error as ConfigError).problems);
    return '';
  }
}

function checkUrl(name: string, url: string | undefined, problems: string[]): void {
  if (url !== undefined && !isTrustedUrl(url))
    problems.push(`${name} must be an https URL without user and password; http is for this machine only`);
}

const entries = (list: string, separator = ','): string[] =>
  list
    .split(separator)
    .map((entry) => entry.trim())
    .filter(Boolean);
