import type { ServeContext } from '@adaos/bus';
import {
  digestOf,
  ExecRequest,
  OpError,
  statusOfCode,
  targetIdOf,
  toErrorBody,
  toolOf,
  validator,
  type ExecReply,
  type ProgressStep,
  type Redaction,
  type Tool,
} from '@adaos/contracts';
import type { Clock, Log } from '@adaos/runtime';
import type { permitVerifier } from '@adaos/permit';
import { mergeRedactions, redactValue } from '@adaos/redact';
import type { Adapter, AdapterDeps, AdapterResult } from './adapters/adapter.js';
import { adapterOf } from './adapters/table.js';
import { abortError, type Lane } from './bounded.js';
import type { Journal } from './journal.js';
import type { LateOutcomes } from './late-outcomes.js';
import type { TellProgress } from './progress.js';
import type { RunningCalls } from './running-calls.js';

export interface ExecDeps {
  readonly hub_id: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly adapter_deps: AdapterDeps;
  readonly verify: ReturnType<typeof permitVerifier>;
  readonly journal: Journal;
  readonly running: RunningCalls;
  readonly late: LateOutcomes;
  readonly tellProgress: TellProgress;
  /** Writes have a lane of their own: a restart must not wait behind reads, nor reads behind it. */
  readonly lanes: { readonly read: Lane; readonly write: Lane };
  /** Bytes of JSON a reply's result may have on this hub and bus, now. */
  readonly max_result_bytes: () => number;
}

/** A call on its way through the steps below. */
interface Call {
  readonly request: ExecRequest;
  readonly adapter: Adapter;
  readonly tool: Tool;
  readonly kind: 'read' | 'write';
  readonly timeout_ms: number;
  readonly deadline_ms: number;
}

const checkRequest = validator<ExecRequest>(ExecRequest);

/**
 * One call on the hub, top to bottom (architecture, step 8). Root has decided already; everything is checked again here, since the hub
 * trusts a signature and its own file and nothing else. Answers an ExecReply whatever happens; throws OpError(invalid_argument) only for a
 * body that is no ExecRequest.
 */
export async function exec(deps: ExecDeps, body: unknown, context: ServeContext): Promise<ExecReply> {
  const request = checkRequest(body);
  const began = performance.now();
  const adapter = adapterOf(request.tool_id);
  const name = adapter?.adapter ?? 'none';
  try {
    // 1. Lifecycle: a skill that is not enabled publishes nothing, whatever was signed.
    checkSkill(deps);
    if (!adapter) throw new OpError('capability_not_published');
    const tool = toolOf(request.tool_id);
    const writes = tool.contract.side_effect_class.endsWith('_write');
    const call: Call = {
      request,
      adapter,
      tool,
      kind: writes ? 'write' : 'read',
      ...timeLeft(deps, tool, context),
    };
    // 2. Registered before anything is awaited: a cancel or a revocation that comes during a later step finds the call.
    return await registered(deps, call, context.signal);
  } catch (error) {
    return refusal(deps, error, name, began, request);
  }
}

async function registered(deps: ExecDeps, call: Call, outer: AbortSignal): Promise<ExecReply> {
  const { request, adapter, tool } = call;
  const { signal, end } = deps.running.begin(request.event_id, request.lease_id, outer);
  try {
    // 3. Permit: signed by root, for this hub, lease, tool, and for a write this request and these arguments.
    await checkPermit(deps, call);
    // 4. Arguments: what was decided on is what runs, and it fits the contract of this build.
    if (digestOf(request.arguments) !== request.arguments_digest)
      throw new OpError(
        'forbidden',
        { reason: 'arguments' },
        'The arguments are not those that were decided on.',
      );
    const args = tool.checkArguments(request.arguments);
    // 5. The hub's own allowlist: root can ask for less than the file offers, never for more.
    adapter.allow?.(args, deps.adapter_deps);
    // 6. Run it unless it was taken back meanwhile: a write through the journal, so that a repeat of its request never acts twice.
    if (signal.aborted) throw abortError(signal.reason);
    if (call.kind === 'read' || request.dry_run) return await perform(deps, call, args, signal);
    return await write(deps, call, args, signal);
  } finally {
    end();
  }
}

function checkSkill({ adapter_deps }: ExecDeps): void {
  const { state } = adapter_deps.skill();
  if (state === 'missing') throw new OpError('skill_not_installed');
  if (state !== 'enabled') throw new OpError('skill_disabled');
}

async function checkPermit({ verify, hub_id }: ExecDeps, { request, kind }: Call): Promise<void> {
  if (request.target_id !== targetIdOf(hub_id)) throw new OpError('target_forbidden');
  const { lease_id, tool_id, request_id, arguments_digest, dry_run } = request;
  await verify(request.permit, { lease_id, tool_id, kind, request_id, arguments_digest, dry_run });
}

/** The contract's time or what the caller still waits for, whichever is less. */
function timeLeft({ clock }: ExecDeps, { contract }: Tool, { headers }: ServeContext) {
  const asked = headers.deadline_at === undefined ? NaN : Date.parse(headers.deadline_at);
  const deadline_ms = Math.min(Number.isNaN(asked) ? Infinity : asked, clock.now() + contract.timeout_ms);
  return { deadline_ms, timeout_ms: deadline_ms - clock.now() };
}

async function write(
  deps: ExecDeps,
  call: Call,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ExecReply> {
  const { event_id, request_id, lease_id, tool_id, arguments_digest } = call.request;
  const entry = { event_id, request_id, lease_id, tool_id, arguments_digest, adapter: call.adapter.adapter };
  // A repeat hears that the first still runs while its caller is still there to hear it.
  const wait_ms = call.timeout_ms * 0.9;
  const reply = await deps.journal.once(entry, wait_ms, (begin) => perform(deps, call, args, signal, begin));
  // Root has closed the call as timed out by now: the outcome completes the record by itself.
  if (!reply.replayed && deps.clock.now() > call.deadline_ms)
    deps.late.send({ event_id, request_id, lease_id, reply });
  return reply;
}

/** Runs the adapter under bounds and makes its answer fit to be sent. Never throws, so that the journal always has a reply to keep. */
async function perform(
  deps: ExecDeps,
  { request, adapter, tool, kind, timeout_ms }: Call,
  args: Record<string, unknown>,
  outer: AbortSignal,
  begin?: () => Promise<void>,
): Promise<ExecReply> {
  const began = performance.now();
  const max_bytes = Math.min(tool.contract.max_result_bytes, deps.max_result_bytes());
  const lane = begin ? deps.lanes.write : deps.lanes.read;
  try {
    const bounds = { timeout_ms, signal: outer, max_output_bytes: max_bytes, settle: kind === 'write' };
    const result = await lane.run(bounds, async (signal) => {
      if (begin) {
        // Nothing is done yet: the last moment at which a cancel or the deadline leaves no trace.
        signal.throwIfAborted();
        await begin();
      }
      const progress = (step: ProgressStep) => {
        if (request.progress) deps.tellProgress(request.event_id, step);
      };
      const { dry_run } = request;
      const context = { ...deps.adapter_deps, signal, dry_run, progress, max_bytes, timeout_ms };
      return masked(await adapter.run(args, context));
    });
    return {
      status: 'succeeded',
      result: result.output,
      redactions: result.redactions,
      ...(result.truncated && { truncated: true }),
      provenance: { source: 'subnet_active', adapter: adapter.adapter, complete: result.complete },
      adapter: adapter.adapter,
      adapter_ms: elapsed(began),
    };
  } catch (error) {
    return refusal(deps, error, adapter.adapter, began, request);
  }
}

interface Masked extends AdapterResult {
  readonly redactions: Redaction[];
}

/** Everything that leaves the hub is searched for secrets, whichever adapter made it; what an adapter masked itself is counted along. */
function masked(result: AdapterResult): Masked {
  const { value, redactions } = redactValue(result.output);
  return {
    ...result,
    output: value as Record<string, unknown>,
    redactions: mergeRedactions(result.redactions ?? [], redactions),
  };
}

/** A call that came to nothing, as a value. What is not an OpError is logged here and stays here. */
function refusal(
  { log }: ExecDeps,
  error: unknown,
  adapter: string,
  began: number,
  request: ExecRequest,
): ExecReply {
  if (!(error instanceof OpError))
    log.error({ err: error, event_id: request.event_id, adapter }, 'adapter failed unexpectedly');
  const body = toErrorBody(error instanceof OpError ? error : new OpError('adapter_failed'));
  const { value, redactions } = redactValue(body);
  return {
    status: statusOfCode(body.code),
    error: value as ExecReply['error'],
    redactions,
    adapter,
    adapter_ms: elapsed(began),
  };
}

const elapsed = (began: number) => Math.round((performance.now() - began) * 10) / 10;
