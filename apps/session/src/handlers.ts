import { Type } from 'typebox';
import { validator } from '@adaos/contracts';
import { execHandler, type ExecTable, type HandlerTable } from '@adaos/runtime';
import { resolveGrant, type GrantDeps } from './grants.js';
import { issueLease, listLeases, revokeLease, type LeaseDeps } from './leases.js';

const checkResolve = validator<{ bearer_digest: string }>(
  Type.Object({ bearer_digest: Type.String({ pattern: '^[0-9a-f]{64}$' }) }, { additionalProperties: false }),
);

/** Subject → function. The whole public face of the session service. */
export const handlers = (deps: GrantDeps & LeaseDeps): HandlerTable => ({
  session_resolve: async (body) => resolveGrant(deps, checkResolve(body).bearer_digest),
  session_epoch: async () => ({ epoch: await deps.leases.epoch(deps.zone) }),
  session_exec: execHandler('root.mcp_session_registry', {
    'hub.issue_mcp_session': (args, request) => issueLease(deps, args, request),
    'hub.list_mcp_sessions': (args, request) => listLeases(deps, args, request),
    'hub.revoke_mcp_session': (args, request) => revokeLease(deps, args, request),
  } satisfies ExecTable),
});
