import {
  CallRequest,
  IdentifyRequest,
  ListedRequest,
  RefuseRequest,
  StandingRequest,
  validator,
} from '@adaos/contracts';
import { execHandler, type HandlerTable } from '@adaos/runtime';
import { approvalTools, type ApprovalToolDeps } from './approval-tools.js';
import { call, startAsRun, type CallDeps } from './call.js';
import { hubMessages, type HubMessageDeps } from './hub-messages.js';
import { identify, listed, listTools, refuse, standing } from './identify.js';
import { runTools } from './run-tools.js';
import { RunRequest, runVerb } from './run-verbs.js';
import type { Runs } from './runs.js';
import { targetTools, type TargetToolDeps } from './target-tools.js';

const checkCall = validator<CallRequest>(CallRequest);
const checkRun = validator<RunRequest>(RunRequest);
const checkIdentify = validator<IdentifyRequest>(IdentifyRequest);
const checkListed = validator<ListedRequest>(ListedRequest);
const checkStanding = validator<StandingRequest>(StandingRequest);
const checkRefuse = validator<RefuseRequest>(RefuseRequest);

/** Subject → function. The whole public face of the router service. */
export const handlers = (
  deps: CallDeps & HubMessageDeps & TargetToolDeps & ApprovalToolDeps & { readonly runs: Runs },
): HandlerTable => ({
  router_call: async (body, { signal }) => call(deps, checkCall(body), signal),
  router_start_run: async (body) => startAsRun(deps, checkCall(body)),
  router_run: async (body) => runVerb(deps, checkRun(body)),
  router_list_tools: async (body) => listTools(deps, checkIdentify(body)),
  router_identify: async (body) => identify(deps, checkIdentify(body)),
  router_listed: async (body) => listed(deps, checkListed(body)),
  router_standing: async (body) => standing(deps, checkStanding(body)),
  router_refuse: async (body) => refuse(deps, checkRefuse(body)),
  router_exec: execHandler(
    'root.target_registry',
    { ...targetTools(deps), ...approvalTools(deps), ...runTools({ zone: deps.zone, rows: deps.runs.rows }) },
    deps.bus,
  ),
  ...hubMessages(deps),
});
