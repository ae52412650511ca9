import {
  argumentForm,
  digestOf,
  findTool,
  type Envelope,
  type InputGiven,
  type InputRequest,
} from '@adaos/contracts';
import { failureIn } from '../failure.js';
import type { Ask } from '../router-port.js';
import { idsOf, type Answer } from './answer.js';
import { inputKinds, MISSING_CAPABILITY } from './client-capabilities.js';
import type { Era, Exchange, McpEdge } from './exchange.js';
import { isObject } from './json-rpc.js';
import type { StateBinding } from './request-state.js';
import { refuseParams } from './refuse-params.js';
import { metaOf, toolAnswer } from './tool-result.js';

/** Answers of a client that are looked at, and the length of their keys: no round of ours asks for more. */
const MAX_RESPONSES = 16;
const MAX_KEY_CHARS = 64;
/** Characters of what forms filled in, over all rounds: it travels in every state from then on. */
const MAX_FILL_CHARS = 8_192;

/** What is kept of a call between two of its rounds. */
interface Kept {
  /** What the round before asked for. */
  readonly asked: 'arguments' | 'approval' | 'tool';
  /** Arguments given in forms so far; the client repeats the call as it first made it. */
  readonly fill: Record<string, unknown>;
  /** Names the form asked for: nothing else of its answer becomes an argument. */
  readonly fields: readonly string[];
  readonly approval_id: string | null;
  /** The tool's own. */
  readonly state: string | null;
}
const NOTHING: Kept = { asked: 'tool', fill: {}, fields: [], approval_id: null, state: null };

/** A request of a method that may take several rounds. */
export interface RoundRequest {
  readonly method: string;
  /** Tool or prompt, or the uri of a resource. */
  readonly name: string;
  readonly args: unknown;
  readonly params: Record<string, unknown>;
  readonly era: Era;
}

/** One round of such a request. */
interface Round {
  /** What a state of it belongs to; made when it is needed, since most calls take one round. */
  readonly bind: () => StateBinding;
  readonly fill: Record<string, unknown>;
  readonly approval_id: string | null;
  /** For whoever serves it: what its client can be asked, its answers, its state. Null when there is nothing to tell. */
  readonly input: InputGiven | null;
  /** The user was asked and said no. */
  readonly declined: boolean;
}

/** Why a retry is none: -32602. */
interface RoundFault {
  readonly fault: { readonly message: string; readonly details: Record<string, unknown> };
}

const fault = (member: string, message: string): RoundFault => ({
  fault: { message, details: { path: `/params/${member}`, rule: member } },
});

/** Reads what a retry brings along: its answers, and the state it was given, which opens for this bearer and this very request only. */
function openRound(edge: McpEdge, { caller }: Exchange, request: RoundRequest): Round | RoundFault {
  const { method, name, args, params, era } = request;
  const { inputResponses, requestState } = era === 'modern' ? params : {};
  const bearer_digest = caller.credentials.bearer_digest ?? '';
  const bind = () => ({ bearer_digest, method, name, arguments_digest: digestOf(args) });
  if (inputResponses !== undefined && !isObject(inputResponses))
    return fault('inputResponses', 'params.inputResponses must be an object.');
  let kept = NOTHING;
  if (requestState !== undefined) {
    const opened = typeof requestState === 'string' ? edge.states.open(bind(), requestState) : null;
    if (opened === null)
      return fault(
        'requestState',
        'params.requestState is not valid for this request; call again without it.',
      );
    kept = opened as Kept;
  }
  const responses = usable(inputResponses ?? {});
  const { approval_id, fill } = kept;
  const accepts = inputKinds(params, era);
  const told = accepts.length > 0 || Object.keys(responses).length > 0 || kept.state !== null;
  const input = told
    ? { accepts: [...accepts], responses: kept.asked === 'tool' ? responses : {}, state: kept.state }
    : null;
  const round: Round = { bind, fill, approval_id, input, declined: false };
  if (kept.asked === 'tool') return round;
  // An answer that is missing is no answer: the same is asked again.
  const answer = responses[kept.asked];
  if (answer === undefined) return round;
  const content =
    answer['action'] === 'accept' ? (isObject(answer['content']) ? answer['content'] : {}) : null;
  if (content === null || (kept.asked === 'approval' && content['approved'] === false))
    return { ...round, declined: true };
  const given = kept.fields
    .filter((field) => Object.hasOwn(content, field))
    .map((field) => [field, content[field]]);
  const filled = { ...fill, ...Object.fromEntries(given) };
  if (JSON.stringify(filled).length > MAX_FILL_CHARS)
    return fault('inputResponses', 'The answers are too long.');
  return { ...round, fill: filled };
}

/** Answers in a form of the protocol. A wrapped one (`{method, result}`) is none, as the SDK has it. */
function usable(responses: Record<string, unknown>): Record<string, Record<string, unknown>> {
  const entries = Object.entries(responses).filter(
    (entry): entry is [string, Record<string, unknown>] =>
      isObject(entry[1]) &&
      !('method' in entry[1]) &&
      !('result' in entry[1]) &&
      entry[0].length <= MAX_KEY_CHARS,
  );
  return Object.fromEntries(entries.slice(0, MAX_RESPONSES));
}

/** The arguments of the call with what forms filled in. */
const filledIn = (args: unknown, fill: Record<string, unknown>): unknown =>
  isObject(args) && Object.keys(fill).length > 0 ? { ...args, ...fill } : args;

/**
 * The answer that asks for more, when an envelope comes down to something the client can be asked for: what a tool wants to know, an
 * approval, arguments that are missing. Null when it does not, or the client did not say that it can be asked; then it stands as it is.
 */
function askMore(edge: McpEdge, request: RoundRequest, round: Round, envelope: Envelope): Answer | null {
  if (request.era !== 'modern' || envelope.ok) return null;
  const accepts = round.input?.accepts ?? [];
  const ask = (requests: Record<string, InputRequest>, kept: Partial<Kept>): Answer => ({
    kind: 'result',
    result: {
      resultType: 'input_required',
      ...(Object.keys(requests).length > 0 && { inputRequests: requests }),
      requestState: edge.states.seal(round.bind(), {
        ...NOTHING,
        fill: round.fill,
        approval_id: round.approval_id,
        ...kept,
      }),
      _meta: metaOf(envelope),
    },
  });
  if (envelope.input) return ask(envelope.input.requests, { asked: 'tool', state: envelope.input.state });
  const failure = failureIn(envelope);
  const details = failure?.details ?? {};
  if (failure?.code === 'input_required') {
    const data = { requiredCapabilities: details['required_capabilities'] ?? {}, ...idsOf(failure) };
    return { kind: 'error', http: 400, error: { code: MISSING_CAPABILITY, message: failure.message, data } };
  }
  if (failure?.code === 'approval_required') {
    const approval_id = details['approval_id'];
    const approval =
      typeof approval_id === 'string' ? approvalRequest(edge, accepts, envelope, approval_id, round) : null;
    return approval && ask({ approval }, { asked: 'approval', approval_id: approval_id as string });
  }
  if (
    failure?.code !== 'invalid_argument' ||
    details['rule'] !== 'required' ||
    !accepts.includes('elicitation.form')
  )
    return null;
  const contract = findTool(request.name)?.contract;
  const args = filledIn(request.args, round.fill);
  const form = contract && isObject(args) ? argumentForm(contract, args, topLevel(details['path'])) : null;
  if (!contract || !form) return null;
  const message = `${contract.title}: what is missing before it can run.`;
  const params = { mode: 'form', message, requestedSchema: { ...form } };
  return ask(
    { arguments: { method: 'elicitation/create', params } },
    { asked: 'arguments', fields: form.required },
  );
}

/** What a round adds to the call it stands for. */
export type RoundAsk = Pick<Ask, 'arguments' | 'approval_id' | 'input'>;

/**
 * One round of a request, whichever method it is: reads what the client brought, lets `call` make the governed call, and answers with the
 * next round, or what `done` makes of the envelope. Throws what the way to router throws.
 */
export async function inRounds(
  edge: McpEdge,
  exchange: Exchange,
  request: RoundRequest,
  call: (ask: RoundAsk) => Promise<Envelope | Answer>,
  done: (envelope: Envelope) => Answer,
): Promise<Answer> {
  const round = openRound(edge, exchange, request);
  if ('fault' in round) return refuseParams(edge, exchange, round.fault.message, round.fault.details);
  if (round.declined) return declined(edge, exchange, request.name);
  const answered = await call({
    arguments: filledIn(request.args, round.fill),
    ...(round.approval_id !== null && { approval_id: round.approval_id }),
    ...(round.input !== null && { input: round.input }),
  });
  if ('kind' in answered) return answered;
  return askMore(edge, request, round, answered) ?? done(answered);
}

/** The user was asked for what the call needs and said no: nothing runs, and the record says why. */
async function declined(edge: McpEdge, { caller }: Exchange, name: string): Promise<Answer> {
  const tool_id = findTool(name)?.contract.tool_id ?? '';
  const message = 'The user declined what the call needs.';
  const refusal = { code: 'cancelled' as const, message, details: { reason: 'declined' } };
  return toolAnswer({ ...(await edge.router.refuse(caller, refusal)), tool_id }, {});
}

/** `/target_id` → target_id: an argument that is needed though the schema leaves it optional. */
const topLevel = (path: unknown): string[] =>
  typeof path === 'string' && /^\/[a-z_]+$/.test(path) ? [path.slice(1)] : [];

/**
 * A link to the page where it is approved, for clients that open links; else a form in which the user says that it was. Neither is
 * believed: the retry carries the approval's id, and router looks whether it was given.
 */
function approvalRequest(
  edge: McpEdge,
  accepts: InputGiven['accepts'],
  { tool_id, meta }: Envelope,
  approval_id: string,
  round: Round,
): InputRequest | null {
  const target = typeof meta['target_id'] === 'string' ? ` on ${meta['target_id']}` : '';
  const what = `${tool_id}${target} waits for an approver (${approval_id}).`;
  const message = round.approval_id === null ? what : `Not approved yet: ${what}`;
  const url = edge.approvalUrl(approval_id);
  if (url !== null && accepts.includes('elicitation.url'))
    return { method: 'elicitation/create', params: { mode: 'url', message, url } };
  if (!accepts.includes('elicitation.form')) return null;
  const approved = {
    type: 'boolean',
    title: 'It has been approved',
    description: url ?? `Approval ${approval_id}`,
  };
  const requestedSchema = { type: 'object', properties: { approved }, required: ['approved'] };
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
}
