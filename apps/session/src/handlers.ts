import { Type } from 'typebox';
import { validator } from '@adaos/contracts';
import { execHandler, type ExecTable, type HandlerTable } from '@adaos/runtime';
import { issueAccessToken, listAccessTokens, revokeAccessToken } from './access-tokens.js';
import { admissionHandlers, admissionTools, type AdmissionDeps } from './admissions/handlers.js';
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.js';
import { resolveGrant } from './grants.js';
import { issueLease, listLeases, revokeLease, rotateLease } from './leases.js';
import { createOperator, listOperators, rotateOperator, setOperator } from './operators.js';
import type { SessionParts } from './parts.js';

const checkResolve = validator<{ bearer_digest: string }>(
  Type.Object({ bearer_digest: Type.String({ pattern: '^[0-9a-f]{64}$' }) }, { additionalProperties: false }),
);

/** Subject → function. The whole public face of the session service. */
export const handlers = (parts: SessionParts & AdmissionDeps): HandlerTable => ({
  ...admissionHandlers(parts),
  session_resolve: async (body) => resolveGrant(parts, checkResolve(body).bearer_digest),
  session_epoch: async () => ({ epoch: await parts.leases.epoch(parts.zone) }),
  session_exec: execHandler('root.mcp_session_registry', {
    'hub.issue_mcp_session': (args, request) => issueLease(parts, args, request),
    'hub.list_mcp_sessions': (args, request) => listLeases(parts, args, request),
    'hub.revoke_mcp_session': (args, request) => revokeLease(parts, args, request),
    'hub.rotate_mcp_session': (args, request) => rotateLease(parts, args, request),
    'hub.issue_access_token': (args, request) => issueAccessToken(parts, args, request),
    'hub.list_access_tokens': (args, request) => listAccessTokens(parts, args, request),
    'hub.revoke_access_token': (args, request) => revokeAccessToken(parts, args, request),
    'zone.create_operator': (args, request) => createOperator(parts, args, request),
    'zone.list_operators': (args) => listOperators(parts, args),
    'zone.set_operator': (args, request) => setOperator(parts, args, request),
    'zone.rotate_operator': (args, request) => rotateOperator(parts, args, request),
    'zone.create_api_key': (args, request) => createApiKey(parts, args, request),
    'zone.list_api_keys': (args, request) => listApiKeys(parts, args, request),
    'zone.revoke_api_key': (args, request) => revokeApiKey(parts, args, request),
    ...admissionTools(parts),
  } satisfies ExecTable),
});
