import {
  CALL_CONTROLS,
  findTool,
  hubIdOf,
  OpError,
  toolOf,
  type CallRequest,
  type Envelope,
  type ErrorCode,
} from '@adaos/contracts';
import type {
  ErrorBody,
  ExecReply,
  ExecRequest,
  Grant,
  ManagedTarget,
  PermitRequest,
  Tool,
  ToolContract,
} from '@adaos/contracts';
import type { Bus } from '@adaos/bus';
import type { Limits } from '@adaos/limits';
import type { Clock, Ids, Log, Recorder } from '@adaos/runtime';
import type { Decisions } from './decisions.js';
import { dispatch } from './dispatch.js';
import { draftEvent, holdsSecret, outcomeOf, type EventDraft } from './draft.js';
import { factsOf } from './facts.js';
import type { GrantCache } from './grants.js';
import { takeLimits } from './guard.js';
import { redactValue } from '@adaos/redact';
import type { InFlight } from './in-flight.js';
import type { Targets } from './targets.js';

export interface CallDeps {
  readonly zone: string;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: Limits;
  readonly recorder: Recorder;
  readonly grants: GrantCache;
  readonly targets: Targets;
  readonly decisions: Decisions;
  readonly in_flight: InFlight;
}

/** The life of a call, top to bottom (architecture.md). Never throws: whatever happens is an envelope linked to its record. */
export async function call(deps: CallDeps, request: CallRequest): Promise<Envelope> {
  const draft = draftEvent(deps, 'tool.call', request);
  let reply: ExecReply | undefined;
  let tool: ToolContract | undefined;
  let grant: Grant | undefined;
  let opened = false;
  try {
    // 2. Who: the digest becomes a frozen grant, or nothing goes on.
    grant = await deps.grants.resolve(request.bearer_digest);
    draft.grant(grant);
    draft.lap('session');
    // 3. What: the contract, if the lease lists it; arguments checked against it before anything reads them.
    const found = grantedTool(grant, request.name, draft);
    tool = found.contract;
    const { args, controls } = readArguments(found, request, draft);
    // 4. Where: the target's live record.
    const target = await targetOf(deps, tool, grant, controls.target_id);
    if (target) draft.target(target);
    // 5. May it: all facts go in, nothing is looked up over there; anything missing denies.
    const service = typeof args['service'] === 'string' ? args['service'] : null;
    const facts = factsOf(grant, tool, target, {
      dry_run: controls.dry_run,
      zone: request.zone,
      subnet_id: request.subnet_id,
      service,
    });
    const decision = await deps.decisions.decide(facts, permitFor(tool, target, draft));
    draft.decision(decision);
    draft.lap('policy');
    if (decision.decision !== 'allow') {
      throw new OpError(
        (decision.code ?? 'forbidden') as ErrorCode,
        { decision_id: decision.decision_id },
        decision.explanation,
      );
    }
    const release = await takeLimits(deps.limits, grant, tool, draft.event.target_id);
    try {
      // 6. Record: a write that can't be recorded is not attempted.
      if (isWrite(tool)) {
        await deps.recorder.record(draft.opened());
        opened = true;
      }
      // 7, 8. Run it where it belongs, bounded by the contract's timeout.
      draft.lap('open');
      const exec: ExecRequest = {
        event_id: draft.event.event_id,
        request_id: draft.event.request_id,
        trace_id: draft.event.trace_id,
        lease_id: grant.grant_id,
        actor: grant.actor,
        tool_id: tool.tool_id,
        target_id: draft.event.target_id,
        subnet_id: draft.event.subnet_id,
        arguments: args,
        arguments_digest: draft.event.arguments_digest ?? '',
        dry_run: controls.dry_run,
        ...(tool.served_by === 'hub' ? { permit: decision.permit ?? undefined } : { grant }),
      };
      reply = await run(deps, request.call_id, tool, exec);
      draft.lap('dispatch');
    } finally {
      release();
    }
    // A lease taken back meanwhile gets no result; what was done stands in the record.
    if (deps.grants.isRevoked(grant.grant_id)) throw new OpError('lease_revoked');
    draft.close(
      reply.status,
      reply.status === 'succeeded'
        ? null
        : ((reply.error ?? { code: 'adapter_failed', message: 'The target gave no reason.' }) as never),
      reply,
    );
  } catch (error) {
    const { status, body: cause } = outcomeOf(error);
    const body = grant ? cause : asAuthFailure(draft, cause);
    if (body.code === 'internal')
      deps.log.error({ err: error, trace_id: draft.event.trace_id }, 'call failed inside');
    draft.close(draft.event.policy_decision === 'deny' ? 'denied' : status, body, reply);
  }
  return finish(deps, draft, { tool, reply, opened });
}

/** 9. The record is completed before the answer leaves; a write that ran is answered even if its close must come from recovery. */
async function finish(
  deps: CallDeps,
  draft: EventDraft,
  { tool, reply, opened }: { tool?: ToolContract; reply?: ExecReply; opened: boolean },
): Promise<Envelope> {
  // Reads of the record itself are counted, not echoed into it; their refusals are recorded like any other.
  if (tool?.unrecorded && draft.event.status === 'succeeded')
    return { ...draft.envelope(reply), audit_event_id: null };
  // The record is away already: a second wait would tell the caller nothing new. The refusal is written when it is back.
  if (draft.event.error?.code === 'audit_unavailable') {
    return {
      ...draft.envelope(),
      audit_event_id: deps.recorder.spool(draft.event) ? draft.event.event_id : null,
    };
  }
  const descriptive = tool?.routing_class === 'descriptive_cached_read';
  try {
    await (descriptive ? deps.recorder.recordOrSpool(draft.event) : deps.recorder.record(draft.event));
  } catch (error) {
    if (opened) return draft.envelope(reply);
    const { body } = outcomeOf(error);
    draft.close('failed', body);
    return { ...draft.envelope(), audit_event_id: null };
  }
  return draft.envelope(reply);
}

async function run(
  deps: CallDeps,
  call_id: string,
  tool: ToolContract,
  exec: ExecRequest,
): Promise<ExecReply> {
  const abort = new AbortController();
  const hub_id = tool.served_by === 'hub' ? hubIdOf(exec.target_id ?? '') : null;
  const { lease_id, event_id } = exec;
  let finish: (reply: ExecReply) => void = () => undefined;
  const told = new Promise<ExecReply>((resolve) => (finish = resolve));
  deps.in_flight.add({ call_id, lease_id, event_id, hub_id, writes: isWrite(tool), abort, finish });
  try {
    return await Promise.race([dispatch(deps.bus, tool, exec, abort.signal), told]);
  } finally {
    deps.in_flight.remove(call_id);
  }
}

const isWrite = (tool: ToolContract) => !tool.annotations.readOnlyHint;

/** Unknown and not granted read the same to the caller; the record keeps them apart (contracts.md, "Rulings"). */
function grantedTool(grant: Grant, name: string, draft: EventDraft): Tool {
  const known = findTool(name);
  if (known) draft.tool(known.contract);
  if (known && !grant.allowed_tools.includes(known.contract.tool_id)) {
    draft.event.determining_rules = ['grant.tool_not_listed'];
    draft.event.policy_decision = 'deny';
    throw new OpError('tool_not_found');
  }
  return toolOf(name);
}

/** Absent arguments mean {}; anything else that is no object, or breaks the schema, is refused by path and rule. */
function readArguments(tool: Tool, request: CallRequest, draft: EventDraft) {
  const raw = request.arguments === undefined ? {} : request.arguments;
  draft.arguments(raw);
  const checked = tool.checkArguments(raw);
  const controls = {
    target_id: checked['target_id'] as string | undefined,
    // Either place may ask for a dry run; neither can turn one into the real thing.
    dry_run: request.dry_run === true || checked['dry_run'] === true,
  };
  const request_id = request.request_id ?? (checked['request_id'] as string | undefined);
  if (request_id) {
    // The id is written down in every record and journal of the call, so it may not be a place to put a bearer.
    if (holdsSecret(request_id))
      throw new OpError(
        'invalid_argument',
        { path: '/request_id', rule: 'secret' },
        'A request id may not hold a secret.',
      );
    draft.event.request_id = request_id;
  }
  draft.event.dry_run = controls.dry_run;
  const given = Object.fromEntries(
    Object.entries(checked).filter(([key]) => !(CALL_CONTROLS as readonly string[]).includes(key)),
  );
  // Root keeps what it is told (notes, reasons, titles): a secret in it is masked before it runs, not after it is stored.
  const args =
    tool.contract.served_by === 'hub' ? given : (redactValue(given).value as Record<string, unknown>);
  // The digest covers what will run: the permit, the journal and the record all speak of these bytes.
  draft.arguments(args);
  return { args, controls };
}

/** The target of a call: the lease's own, or for an operator the one named. A foreign target looks like a forbidden one. */
async function targetOf(
  deps: CallDeps,
  tool: ToolContract,
  grant: Grant,
  named: string | undefined,
): Promise<ManagedTarget | null> {
  if (tool.surface === 'development') return null;
  if (grant.target_id !== null && named !== undefined && named !== grant.target_id)
    throw new OpError('target_forbidden');
  const target_id = named ?? grant.target_id;
  if (target_id !== null) return deps.targets.get(target_id);
  if (tool.served_by === 'hub') throw missingTarget();
  return null;
}

/** An operator has no target of its own and must name one where the tool needs it. */
export const missingTarget = () =>
  new OpError(
    'invalid_argument',
    { path: '/target_id', rule: 'required' },
    'Name the target: this credential has none of its own.',
  );

function permitFor(
  tool: ToolContract,
  target: ManagedTarget | null,
  draft: EventDraft,
): PermitRequest | null {
  const hub_id = tool.served_by === 'hub' && target ? hubIdOf(target.target_id) : null;
  if (hub_id === null) return null;
  if (!isWrite(tool)) return { hub_id, kind: 'read' };
  return {
    hub_id,
    kind: 'write',
    request_id: draft.event.request_id,
    arguments_digest: draft.event.arguments_digest ?? '',
  };
}

const AUTH_CODES = new Set<ErrorCode>([
  'unauthenticated',
  'lease_expired',
  'lease_revoked',
  'zone_mismatch',
  'scope_mismatch',
]);

/**
 * Before a grant is known, an authentication failure is its own kind of event, with whose lease it was where session knows. The answer
 * does not repeat that: whoever holds a dead bearer learns no ids from it.
 */
export function asAuthFailure(draft: EventDraft, body: ErrorBody): ErrorBody {
  if (!AUTH_CODES.has(body.code)) return body;
  const { details } = body;
  draft.event.event_type = 'auth.denied';
  if (typeof details?.['grant_id'] === 'string') draft.event.lease_id = details['grant_id'];
  if (typeof details?.['actor'] === 'string') draft.event.actor = details['actor'];
  return { code: body.code, message: body.message };
}
