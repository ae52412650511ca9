import { pub } from '@adaos/contracts';
import { Type } from 'typebox';

const text = (description: string, rule: { pattern?: string; default?: string; maxLength?: number } = {}) =>
  pub(Type.String({ maxLength: 2_048, description, ...rule }));
const maybe = (description: string, rule: { pattern?: string; maxLength?: number } = {}) =>
  Type.Optional(text(description, rule));
const URL_FORM = { pattern: '^https?://[^\\s]+$', maxLength: 512 } as const;

/** The issuers a zone trusts: an identity provider for operators, authorization servers for MCP clients. Nothing set: none. */
export const IdentitySettings = {
  OIDC_ISSUER: maybe('Identity provider of the operators; https, or http on this machine.', URL_FORM),
  OIDC_CLIENT_ID: maybe('Client id of this zone at the identity provider.', { maxLength: 256 }),
  OIDC_CLIENT_SECRET_FILE: maybe('File with the client’s secret; absent for a public client.'),
  OIDC_AUDIENCE: maybe('Audience of operator tokens; the client id when not set.', { maxLength: 256 }),
  OIDC_SCOPES: text('Scopes asked for at sign-in.', {
    default: 'openid',
    pattern: '^openid( [\\x21-\\x7e]+)*$',
  }),
  OIDC_ROLE_CLAIM: text('Claim that names groups or roles; `a.b` reads inside an object.', {
    default: 'roles',
    maxLength: 256,
  }),
  OIDC_ROLE_MAP: text(
    '`value=role,…`, or `value=role;…` where values hold commas; the first entry whose value is in the claim gives the role. No match, no access.',
    {
      default: '',
    },
  ),
  OIDC_NAME: text('Name of the identity provider on the sign-in page.', {
    default: 'your identity provider',
    maxLength: 64,
  }),
  OIDC_SESSION_S: pub(
    Type.Integer({
      description: 'Seconds until an operator has to sign in to the console again.',
      minimum: 300,
      maximum: 28_800,
      default: 28_800,
    }),
  ),
  OIDC_CLOCK_SKEW_S: pub(
    Type.Integer({
      description: 'Seconds by which the clock of any trusted issuer may differ.',
      minimum: 0,
      maximum: 120,
      default: 30,
    }),
  ),
  OAUTH_ISSUERS: text(
    'Authorization servers of MCP clients, comma-separated, at most four. Set: OAuth mode.',
    {
      default: '',
    },
  ),
  OAUTH_RESOURCE: maybe('Public URL of the MCP endpoint, with its path: the audience of access tokens.', {
    ...URL_FORM,
    maxLength: 128,
  }),
  OAUTH_JWKS_URL: maybe(
    'Keys of the one authorization server, instead of those its metadata names.',
    URL_FORM,
  ),
  OAUTH_INTROSPECTION_URL: maybe('Introspection endpoint, instead of the one its metadata names.', URL_FORM),
  OAUTH_INTROSPECTION_CLIENT_ID: maybe(
    'Client id for introspection of opaque tokens; not set: none are taken.',
    {
      maxLength: 256,
    },
  ),
  OAUTH_INTROSPECTION_SECRET_FILE: maybe('File with that client’s secret.'),
  OAUTH_INTROSPECTION_TTL_S: pub(
    Type.Integer({
      description: 'Seconds until an opaque token is introspected again.',
      minimum: 1,
      maximum: 60,
      default: 30,
    }),
  ),
  OAUTH_SCOPE_PREFIX: text('Before the name of a capability profile in a scope.', {
    default: 'profile:',
    pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{0,64}$',
  }),
  OAUTH_DEFAULT_PROFILES: text('Profiles whose scopes a client is told to ask for, comma-separated.', {
    default: 'InfraOpsRead',
  }),
  OAUTH_TARGET_CLAIM: maybe('Claim that names the target of a token; `a.b` reads inside an object.', {
    maxLength: 256,
  }),
  OAUTH_DEFAULT_TARGET: maybe('Target of tokens without that claim, as hub:<hub_id>.', {
    pattern: '^hub:[A-Za-z0-9_-]{1,64}$',
  }),
} as const;
