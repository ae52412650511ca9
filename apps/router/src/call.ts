import { isWrite, NO_OBLIGATIONS, OpError, subjectOf, toErrorBody } from '@adaos/contracts';
import type {
  CallRequest,
  Envelope,
  ErrorBody,
  ErrorCode,
  ExecReply,
  ExecRequest,
  Grant,
  Obligations,
  ProgressStep,
  StartedRun,
  ToolContract,
} from '@adaos/contracts';
import type { Bus } from '@adaos/bus';
import type { Limits } from '@adaos/limits';
import type { Clock, Ids, Log, Recorder } from '@adaos/runtime';
import { stands, type Approvals } from './approvals.js';
import { admitBearer, type AdmissionDeps } from './admission.js';
import { askable } from './askable.js';
import { asAuthFailure } from './auth-failure.js';
import { grantedTool, permitFor, readArguments, targetOf } from './call-input.js';
import type { Decisions } from './decisions.js';
import { draftEvent, outcomeOf, type EventDraft } from './draft.js';
import { factsOf } from './facts.js';
import { takeLimits, type Ceilings } from './guard.js';
import { narrowed, rotatesItself } from './grant-scope.js';
import type { InFlight } from './in-flight.js';
import { oblige, obligeStep } from './oblige.js';
import type { AsRun, Runs } from './runs.js';
import { startRun } from './run-call.js';
import type { Targets } from './targets.js';

export interface CallDeps extends AdmissionDeps {
  readonly zone: string;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: Limits;
  readonly ceilings: Ceilings;
  readonly recorder: Recorder;
  readonly targets: Targets;
  readonly decisions: Decisions;
  readonly approvals: Approvals;
  readonly in_flight: InFlight;
  /** A write that was answered without its outcome: the hub is asked for it later. */
  readonly followUp: (event: EventDraft['event']) => void;
}

/**
 * The life of a call, top to bottom (architecture.md). Never throws: whatever happens is an envelope linked to its record. `caller` aborts
 * when nobody waits for the answer any more; `as_run` makes it go on all the same.
 */
export async function call(
  deps: CallDeps,
  request: CallRequest,
  caller?: AbortSignal,
  as_run?: AsRun,
): Promise<Envelope> {
  const draft = draftEvent(deps, 'tool.call', request);
  const tied: Tied = { obligations: NO_OBLIGATIONS };
  const hears = as_run?.step ?? (request.progress ? tellCaller(deps, request) : null);
  const tell = hears && ((step: ProgressStep) => hears(obligeStep(step, tied.obligations)));
  const run = startRun(deps, request.call_id, caller, tell);
  const through = runThrough(deps, request, draft, run, tied, as_run);
  // Nobody waits for a run's end: it is told when it has come.
  if (as_run) return through;
  // A write whose lease is taken back is seen to its end and recorded; its caller is not kept for that.
  const taken_back = run.taken_back.then(() => draft.refusal(toErrorBody(new OpError('lease_revoked'))));
  return Promise.race([through, taken_back]);
}

async function runThrough(
  deps: CallDeps,
  request: CallRequest,
  draft: EventDraft,
  run: ReturnType<typeof startRun>,
  tied: Tied,
  as_run: AsRun | undefined,
): Promise<Envelope> {
  const done: Done = { opened: false, withheld: null };
  let grant: Grant | undefined;
  try {
    // 2. Who: the digest becomes a frozen grant, or nothing goes on.
    let generation = 0;
    const admitted = await admitBearer(deps, request, (known) => {
      generation = deps.grants.generation();
      draft.grant(known);
    });
    grant = narrowed(admitted, request.subnet_id);
    draft.grant(grant);
    run.admit(grant.grant_id, draft.event.event_id);
    draft.lap('session');
    // 3. What: the contract, if the lease lists it; arguments checked against it before anything reads them.
    const found = grantedTool(grant, request.name, draft);
    const tool = (done.tool = found.contract);
    const { args, controls } = readArguments(found, request, draft);
    const self_rotation = rotatesItself(tool, args, grant);
    // 4. Where: the target's live record.
    const target = await targetOf(deps.targets, tool, grant, controls.target_id);
    if (target) draft.target(target);
    // 5. May it: all facts go in, nothing is looked up over there; anything missing denies.
    const service = typeof args['service'] === 'string' ? args['service'] : null;
    const { zone, subnet_id } = request;
    const approval = await deps.approvals.named(controls.approval_id, grant, tool, draft);
    const claims = { zone, subnet_id, service, dry_run: controls.dry_run, approved: stands(approval) };
    const facts = factsOf(grant, tool, target, claims);
    const decided = await deps.decisions.decide(facts, permitFor(tool, target, draft));
    draft.decision(decided);
    const { decision } = decided;
    draft.lap('policy');
    if (decision.decision === 'require_approval')
      throw await deps.approvals.ask(grant, tool, draft, decision);
    if (decision.decision !== 'allow') {
      throw new OpError(
        (decision.code ?? 'forbidden') as ErrorCode,
        { decision_id: decision.decision_id },
        decision.explanation,
      );
    }
    const obligations = (tied.obligations = decision.obligations);
    const release = await takeLimits(
      deps.limits,
      deps.ceilings,
      grant,
      tool,
      draft.event.target_id,
      obligations,
    );
    try {
      // 6. Record: a write that can't be recorded is not attempted.
      const kept = tool.task === 'optional' && !controls.dry_run ? as_run : undefined;
      await kept?.create(draft.event, tool);
      if (isWrite(tool)) {
        if (approval) await deps.approvals.spend(approval, draft);
        await deps.recorder.record(draft.opened());
        done.opened = true;
      }
      kept?.begun();
      draft.lap('open');
      // 7, 8. Run it where it belongs, bounded by the contract's timeout.
      const exec = execOf(draft, grant, tool, args, decision.permit);
      const sent = {
        ...exec,
        ...((as_run || request.progress) && { progress: true }),
        ...(tool.served_by !== 'hub' && request.input && { input: request.input }),
      };
      const asked = await run.dispatch(tool, sent, self_rotation);
      done.reply = asked.input ? { ...asked, input: askable(asked.input, request.input) } : asked;
      draft.lap('dispatch');
    } finally {
      release();
    }
    // A lease taken back meanwhile gets no result. A read is recorded as refused; what a write did stands in the record.
    const gone = self_rotation ? null : await goneSince(deps, grant, tool, request.bearer_digest, generation);
    if (gone && !isWrite(tool)) throw gone;
    done.withheld = gone && toErrorBody(gone);
    // What the allow was tied to, before the answer is anybody's.
    const { reply, withheld } = oblige(done.reply, obligations);
    done.reply = reply;
    if (withheld && !isWrite(tool)) throw withheld;
    done.withheld ??= withheld && toErrorBody(withheld);
    const well = reply.status === 'succeeded' || reply.status === 'input_required';
    draft.close(reply.status, well ? null : asErrorBody(reply), reply);
  } catch (error) {
    const { status, body: cause } = outcomeOf(error);
    const body = grant ? cause : asAuthFailure(draft, cause);
    if (body.code === 'internal')
      deps.log.error({ err: error, trace_id: draft.event.trace_id }, 'call failed inside');
    draft.close(draft.event.policy_decision === 'deny' ? 'denied' : status, body, done.reply);
    // Opened, and no word from the hub: what became of it is asked for and completes the record.
    if (done.opened && !done.reply && done.tool?.served_by === 'hub') deps.followUp({ ...draft.event });
  } finally {
    run.end();
  }
  return finish(deps, draft, done);
}

/** The same life, for a caller that takes tasks: it is answered once the call has begun, and asks for the outcome later. */
export function startAsRun(
  deps: CallDeps & { readonly runs: Runs },
  request: CallRequest,
): Promise<StartedRun> {
  // A run asks nobody for input: its caller has been answered.
  const { input: _, ...asked } = request;
  const toCaller = request.progress ? tellCaller(deps, request) : null;
  return deps.runs.start(request.call_id, toCaller, (as_run) => call(deps, asked, undefined, as_run));
}

/** Steps go to whichever facade holds the call. A bus that is away loses them as a network would. */
const tellCaller =
  ({ bus, log }: CallDeps, { call_id }: CallRequest) =>
  (step: ProgressStep): void => {
    try {
      bus.publish(subjectOf('call_progress'), { call_id, ...step });
    } catch (error) {
      log.debug({ err: error, call_id }, 'a progress step was not sent');
    }
  };

/** What the allow is tied to; nothing until policy has spoken, and nothing runs before. */
interface Tied {
  obligations: Obligations;
}

interface Done {
  tool?: ToolContract;
  reply?: ExecReply;
  opened: boolean;
  /** Why the caller does not get what the record says. */
  withheld: ErrorBody | null;
}

const execOf = (
  draft: EventDraft,
  grant: Grant,
  tool: ToolContract,
  args: Record<string, unknown>,
  permit: string | null,
): ExecRequest => ({
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
  dry_run: draft.event.dry_run,
  ...(tool.served_by === 'hub' ? { permit: permit ?? undefined } : { grant }),
});

const asErrorBody = ({ error }: ExecReply): ErrorBody =>
  (error ?? { code: 'adapter_failed', message: 'The target gave no reason.' }) as ErrorBody;

/**
 * Was the grant taken back since it was resolved, or cut to less than this tool? By event at once; where an event was lost the epoch has moved,
 * and session is asked again.
 */
async function goneSince(
  deps: CallDeps,
  grant: Grant,
  tool: ToolContract,
  digest: string | null,
  generation: number,
): Promise<OpError | null> {
  if (deps.grants.isRevoked(grant.grant_id)) return new OpError('lease_revoked');
  if (deps.grants.generation() === generation) return null;
  return deps.grants.resolve(digest).then(
    ({ allowed_tools }) => (allowed_tools.includes(tool.tool_id) ? null : new OpError('forbidden')),
    (error: unknown) => (error instanceof OpError ? error : new OpError('internal')),
  );
}

/** 9. The record is completed before the answer leaves; a write that ran is answered even if its close must come from recovery. */
async function finish(
  deps: CallDeps,
  draft: EventDraft,
  { tool, reply, opened, withheld }: Done,
): Promise<Envelope> {
  const answer = () => (withheld ? draft.refusal(withheld) : draft.envelope(reply));
  // Reads of the record itself are counted, not echoed into it; their refusals are recorded like any other.
  if (tool?.unrecorded && draft.event.status === 'succeeded') return { ...answer(), audit_event_id: null };
  // The record is away already: a second wait would tell the caller nothing new. The refusal is written when it is back.
  if (draft.event.error?.code === 'audit_unavailable') {
    deps.recorder.spool(draft.event);
    return { ...answer(), audit_event_id: null };
  }
  // Of a flood of refusals most are counted instead.
  if (!opened && !(await deps.refusals.records(draft.event))) return { ...answer(), audit_event_id: null };
  const descriptive = tool?.routing_class === 'descriptive_cached_read';
  try {
    await (descriptive ? deps.recorder.recordOrSpool(draft.event) : deps.recorder.record(draft.event));
  } catch (error) {
    if (opened) return answer();
    const { body } = outcomeOf(error);
    draft.close('failed', body);
    return { ...draft.envelope(), audit_event_id: null };
  }
  return answer();
}
