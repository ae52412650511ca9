import {
  ExecRequest,
  OpError,
  statusOfCode,
  toErrorBody,
  toolOf,
  validator,
  subjectOf,
  type ExecReply,
  type InputAsked,
  type InputGiven,
  type ProgressStep,
} from '@adaos/contracts';
import type { Bus, ServeContext } from '@adaos/bus';
import { performance } from 'node:perf_hooks';

/**
 * A root service's tools: arguments were validated against the contract by router, the request says for whom. `never`, because each tool
 * names the arguments of its own contract and no one type is all of them; which tool takes which stands in the contract, not in a type.
 */
export type ExecTable = Readonly<
  Record<string, (args: never, request: ExecRequest, context: ExecContext) => unknown>
>;

/** What a tool may use while it runs. */
export interface ExecContext {
  /** Says how far it has come. Goes nowhere when the caller did not ask; router holds it to order and rate. */
  readonly progress: (step: ProgressStep) => void;
  /** What the caller can be asked for, and what it answered; nothing and nothing when it can't be asked. */
  readonly input: InputGiven;
  /** Aborts when router waits no longer. */
  readonly signal: AbortSignal;
}

/** What a tool returns that needs to know more before it can go on: it is called again with the answers and the state. */
export class InputRequired {
  constructor(
    readonly requests: InputAsked['requests'],
    readonly state: string | null = null,
  ) {}
}

const NO_INPUT: InputGiven = { accepts: [], responses: {}, state: null };

const checkExec = validator<ExecRequest>(ExecRequest);

/**
 * Serves `<service>.exec`: runs the tool and answers an ExecReply; a refusal is a value, so that router records it like any other. With a
 * `bus` its tools can report progress.
 */
export function execHandler(adapter: string, table: ExecTable, bus?: Pick<Bus, 'publish'>) {
  return async (body: unknown, served: Pick<ServeContext, 'signal'>): Promise<ExecReply> => {
    const request = checkExec(body);
    const run = Object.hasOwn(table, request.tool_id) ? table[request.tool_id] : undefined;
    if (!run) throw new OpError('tool_not_found');
    const began = performance.now();
    const context: ExecContext = {
      progress: (step) => {
        if (request.progress)
          bus?.publish(subjectOf('exec_progress'), { event_id: request.event_id, ...step });
      },
      input: request.input ?? NO_INPUT,
      // A getter: the signal costs more than the hop, and few tools look at it.
      get signal() {
        return served.signal;
      },
    };
    const base = {
      adapter,
      redactions: [],
      provenance: { source: 'root_local' as const, adapter, complete: true },
    };
    try {
      // Router's validator is the proof that these arguments are the ones this tool declares.
      const answer = await run(request.arguments as never, request, context);
      if (answer instanceof InputRequired) {
        const { requests, state } = answer;
        return {
          ...base,
          status: 'input_required',
          input: { requests, state },
          adapter_ms: performance.now() - began,
        };
      }
      const result = answer as Record<string, unknown>;
      if (Buffer.byteLength(JSON.stringify(result)) > toolOf(request.tool_id).contract.max_result_bytes)
        throw new OpError('result_too_large');
      return { ...base, status: 'succeeded', result, adapter_ms: performance.now() - began };
    } catch (error) {
      const body = toErrorBody(error);
      return {
        ...base,
        status: statusOfCode(body.code),
        error: body,
        adapter_ms: performance.now() - began,
      };
    }
  };
}
