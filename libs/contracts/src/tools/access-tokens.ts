import { Type } from 'typebox';
import { ACCESS_TOKEN_TTL, AccessToken, CredentialSummary } from '../nouns/credential.js';
import { List, Nullable, Text } from '../nouns/field.js';
import { credentialTool, CREDENTIAL_FILTERS, GRANT_ARGUMENTS, REASON, ttl } from './credential-tool.js';

/** Tokens of native clients and other services: leases for who speaks REST or NATS and not MCP. */
export const ACCESS_TOKEN_TOOLS = [
  credentialTool({
    tool_id: 'hub.issue_access_token',
    title: 'Issue an access token',
    summary:
      'Issues a token on a target for a native client, with the URL, zone and subnet it needs. The token is in the answer once.',
    side_effect_class: 'reversible_write',
    idempotency: 'none',
    input: {
      audience: Text(128, 'Who gets it, for example adaos-desktop.'),
      ...GRANT_ARGUMENTS,
      ttl_seconds: ttl(ACCESS_TOKEN_TTL, 'Life of the token, default one hour.'),
    },
    output: {
      root_url: Nullable(Text(2_048, 'null where the service that answered does not know it')),
      subnet_id: Text(64),
      zone: Text(64),
      access_token: Type.String(),
      token: AccessToken,
    },
  }),
  credentialTool({
    tool_id: 'hub.list_access_tokens',
    title: 'List access tokens',
    summary: 'Access tokens of the target with deadline, last use and use count, newest first.',
    side_effect_class: 'none',
    input: {
      ...CREDENTIAL_FILTERS,
      token_id: Type.Optional(Text(64, 'Only this token.')),
      audience: Type.Optional(Text(128, 'Only tokens for this audience.')),
      capability_profile: Type.Optional(Text(64, 'Only tokens of this profile.')),
    },
    output: {
      tokens: List(AccessToken, 200),
      next_cursor: Nullable(Text(200)),
      summary: Nullable(CredentialSummary),
    },
  }),
  credentialTool({
    tool_id: 'hub.revoke_access_token',
    title: 'Revoke an access token',
    summary: 'Ends an access token now on every replica. Revoking it again changes nothing.',
    side_effect_class: 'reversible_write',
    input: { token_id: Text(64, 'Id of the token, tok_…'), reason: REASON },
    output: { token: AccessToken },
  }),
];
