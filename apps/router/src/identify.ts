import {
  digestOf,
  OpError,
  toErrorBody,
  TOOL_CONTRACTS,
  type Envelope,
  type ErrorBody,
  type ErrorCode,
  type Grant,
  type Identity,
  type IdentifyRequest,
  type Listed,
  type ListedRequest,
  type PublishedTool,
  type RefuseRequest,
  type Standing,
  type StandingRequest,
} from '@adaos/contracts';
import { admitBearer } from './admission.js';
import { asAuthFailure } from './auth-failure.js';
import type { CallDeps } from './call.js';
import { narrowed } from './grant-scope.js';
import { draftEvent, outcomeOf, type EventDraft } from './draft.js';

// Built once: a list is a choice among these, in this order, whoever asks.
const PUBLISHED = TOOL_CONTRACTS.map((contract) => ({
  contract,
  wire: {
    name: contract.mcp_name,
    title: contract.title,
    description: contract.summary,
    inputSchema: contract.input_schema,
    ...(contract.presentation === 'structured' && { outputSchema: contract.output_schema }),
    annotations: contract.annotations,
    _meta: { 'io.adaos/tool_id': contract.tool_id, 'io.adaos/side_effect_class': contract.side_effect_class },
  } satisfies PublishedTool,
}));

/** Who is this. Throws the auth failure with the id of the event it left. */
export async function identify(deps: CallDeps, request: IdentifyRequest): Promise<Identity> {
  const draft = draftEvent(deps, 'auth.checked', request);
  return identityOf(await admit(deps, request, draft));
}

/** The tools a bearer may see now: its lease, cut to what its target publishes. Leaves a `tool.list` event. */
export async function listTools(
  deps: CallDeps,
  request: IdentifyRequest,
): Promise<{ tools: PublishedTool[]; identity: Identity }> {
  const draft = draftEvent(deps, 'tool.list', request);
  const grant = await admit(deps, request, draft);
  const tools = (await listedFor(deps, grant)).map(({ wire }) => wire);
  await recordList(deps, draft, tools.length);
  return { tools, identity: identityOf(grant) };
}

/** Ids of the tools a bearer may see now, for a list of another kind. Leaves an event named after that list. */
export async function listed(deps: CallDeps, { purpose, ...request }: ListedRequest): Promise<Listed> {
  const draft = draftEvent(deps, purpose, request);
  const grant = await admit(deps, request, draft);
  const tool_ids = (await listedFor(deps, grant)).map(({ contract }) => contract.tool_id);
  await recordList(deps, draft, tool_ids.length);
  return { tool_ids, digest: digestOf(tool_ids), identity: identityOf(grant) };
}

/** Do the bearers of open streams still hold, and what does each list. Leaves no event: it repeats what the stream's opening asked. */
export async function standing(
  deps: CallDeps,
  { bearer_digests, lists }: StandingRequest,
): Promise<{ standings: Standing[] }> {
  const one = async (digest: string): Promise<Standing> => {
    try {
      const grant = await deps.grants.resolve(digest);
      if (!lists) return { code: null, digest: null };
      const tool_ids = (await listedFor(deps, grant)).map(({ contract }) => contract.tool_id);
      return { code: null, digest: digestOf(tool_ids) };
    } catch (error) {
      return { code: toErrorBody(error).code, digest: null };
    }
  };
  return { standings: await Promise.all(bearer_digests.map(one)) };
}

/** Records a request that the edge refused before it became a call. A bad bearer outranks the refusal: strangers learn nothing more. */
export async function refuse(deps: CallDeps, request: RefuseRequest): Promise<Envelope> {
  const draft = draftEvent(deps, 'call.refused', request);
  try {
    await admitBearer(deps, request, draft.grant);
    draft.close(
      'denied',
      toErrorBody(new OpError(request.code as ErrorCode, request.details, request.message)),
    );
  } catch (error) {
    const { status, body: cause } = outcomeOf(error);
    const body = asAuthFailure(draft, withReason(cause, request));
    draft.close(status, body);
  }
  const recorded = await recordRefused(deps, draft);
  const envelope = draft.envelope();
  return recorded ? envelope : { ...envelope, audit_event_id: null };
}

/** An unknown bearer that session did not admit: it said why, and neither the record nor its holder is helped by "unknown". */
const withReason = (cause: ErrorBody, { code, message }: RefuseRequest): ErrorBody =>
  cause.code === 'unauthenticated' && code === 'unauthenticated' ? { ...cause, message } : cause;

/** Is it on record under its own id? It may also be counted only, or the record be away. */
async function recordRefused(deps: CallDeps, draft: EventDraft): Promise<boolean> {
  if (!(await deps.refusals.records(draft.event))) return false;
  return deps.recorder.record(draft.event).then(
    () => true,
    () => false,
  );
}

/** Who asks, or the auth failure with the id of the event it left. */
export async function admit(deps: CallDeps, request: IdentifyRequest, draft: EventDraft): Promise<Grant> {
  try {
    const grant = await admitBearer(deps, request, draft.grant);
    if (request.zone !== null && request.zone !== grant.zone) throw new OpError('zone_mismatch');
    if (request.subnet_id !== null && grant.subnet_id !== null && request.subnet_id !== grant.subnet_id)
      throw new OpError('scope_mismatch');
    return narrowed(grant, request.subnet_id);
  } catch (error) {
    const { status, body: cause } = outcomeOf(error);
    const body = asAuthFailure(draft, cause);
    draft.close(status, body);
    const { event_id, request_id, trace_id } = draft.event;
    const recorded = await recordRefused(deps, draft);
    throw new OpError(
      body.code,
      { ...body.details, audit_event_id: recorded ? event_id : null, request_id, trace_id },
      body.message,
    );
  }
}

/** Tools a grant may see now: its own, cut to what its target publishes. */
async function listedFor(deps: CallDeps, grant: Grant) {
  const published = await publishedOn(deps, grant);
  return PUBLISHED.filter(
    ({ contract }) =>
      grant.allowed_tools.includes(contract.tool_id) &&
      (contract.served_by !== 'hub' ||
        published === null ||
        published.includes(contract.required_capability)),
  );
}

async function recordList(deps: CallDeps, draft: EventDraft, tools: number): Promise<void> {
  draft.close('succeeded', null);
  draft.event.result_summary = { tools };
  await deps.recorder.recordOrSpool(draft.event).catch((error: unknown) => {
    throw new OpError('audit_unavailable', error instanceof OpError ? error.details : undefined);
  });
}

/** Capabilities the lease's target publishes; null for credentials without a target of their own. */
async function publishedOn(deps: CallDeps, grant: Grant): Promise<readonly string[] | null> {
  if (grant.target_id === null) return null;
  try {
    return (await deps.targets.get(grant.target_id)).operational_surface.capabilities;
  } catch (error) {
    if (error instanceof OpError && error.code === 'target_not_found') return [];
    throw error;
  }
}

const identityOf = ({
  actor,
  grant_id,
  capability_profile,
  target_id,
  subnet_id,
  zone,
  deadline_at,
}: Grant): Identity => ({
  actor,
  grant_id,
  capability_profile,
  target_id,
  subnet_id,
  zone,
  deadline_at,
});
