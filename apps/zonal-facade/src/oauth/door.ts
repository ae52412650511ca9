import { ERRORS } from '@adaos/contracts';
import type { Log } from '@adaos/runtime';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody, sendJson } from '../answer.js';
import { callerOf, type CallerDeps } from '../caller.js';
import { foreignBearerOf } from '../credentials.js';
import { failureOf, freshIds, isAuthFailure, type Failure } from '../failure.js';
import { sendFailure } from '../mcp/answer.js';
import { MCP_PATH } from '../paths.js';
import { recordRefusal } from '../refusing.js';
import { sendRestFailure } from '../rest/edge.js';
import type { RouterPort } from '../router-port.js';
import type { Admissions } from './admissions.js';
import type { TrustSource } from './trust-facts.js';

export interface DoorDeps {
  readonly trust: Pick<TrustSource, 'current'>;
  readonly admissions: Admissions;
  readonly router: RouterPort;
  readonly callers: CallerDeps;
  readonly log: Log;
}

type Serve = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * What stands before everything that takes a bearer: a token of a trusted issuer is admitted first, then the request goes its way like every
 * other. Bearers of our own, and every bearer where nobody is trusted, pass untouched. A token that is not admitted is recorded and told why.
 */
export function admitFirst(deps: DoorDeps, via: 'mcp' | 'rest', serve: Serve): Serve {
  return (req, res) => {
    const { oauth, oidc } = deps.trust.current();
    if ((oauth === null && oidc === null) || !req.url?.startsWith(MCP_PATH)) return serve(req, res);
    const bearer = foreignBearerOf(req);
    if (bearer === null || deps.admissions.isKnown(bearer)) return serve(req, res);
    return admitted(deps, via, { req, res, bearer }).then(
      (yes) => (yes ? serve(req, res) : undefined),
      (error: unknown) => {
        deps.log.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'admission failed');
        const { message } = ERRORS.internal;
        sendJson(res, 500, errorBody({ code: 'internal', message, ...freshIds(deps.callers.ids) }));
      },
    );
  };
}

async function admitted(
  { admissions, router, callers }: DoorDeps,
  via: 'mcp' | 'rest',
  { req, res, bearer }: { req: IncomingMessage; res: ServerResponse; bearer: string },
): Promise<boolean> {
  const caller = callerOf(callers, req, via);
  const error = await admissions.admit(bearer, caller.client.address);
  if (error === null) return true;
  let failure: Failure = failureOf(error, caller);
  if (isAuthFailure(failure)) {
    const { code, message, details } = error;
    ({ failure } = await recordRefusal(router, caller, { code, message, ...(details && { details }) }));
  }
  if (via === 'mcp') sendFailure({ res, caller }, failure, null);
  else sendRestFailure({ res, caller }, failure);
  return false;
}
