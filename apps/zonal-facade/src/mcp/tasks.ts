import type { Envelope, RunVerb, RunView } from '@adaos/contracts';
import { failureOf } from '../failure.js';
import { invalid, recordRefusal } from '../refusing.js';
import { errorOf, identityAnswer, idsOf, type Answer } from './answer.js';
import { MISSING_CAPABILITY, takesTasks, TASKS_EXTENSION } from './client-capabilities.js';
import type { Exchange, McpEdge } from './exchange.js';
import { isObject } from './json-rpc.js';
import type { Method } from './methods.js';
import { refuseParams } from './refuse-params.js';
import { toolAnswer } from './tool-result.js';

/** Milliseconds a client is asked to wait between two looks. */
const POLL_MS = 1_000;

/** A run as the tasks extension shows it (`Task`). */
function taskOf({ run, outcome }: RunView): Record<string, unknown> {
  const message = outcome?.error?.message ?? run.progress?.message;
  return {
    taskId: run.run_id,
    status: run.status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: run.created_at,
    lastUpdatedAt: run.updated_at,
    ttlMs: Date.parse(run.expires_at) - Date.parse(run.created_at),
    pollIntervalMs: POLL_MS,
  };
}

/** The answer to a call that goes on (`CreateTaskResult`). */
export const taskStarted = (run: RunView['run']): Answer => ({
  kind: 'result',
  result: {
    resultType: 'task',
    ...taskOf({ run, outcome: null }),
    _meta: { 'io.adaos/tool_id': run.tool_id, 'io.adaos/audit_event_id': run.event_id },
  },
});

/** What `tasks/get` shows besides the task itself: the call's own answer, or the error it broke with. */
function outcomeOf(status: string, outcome: Envelope | null): Record<string, unknown> {
  if (outcome === null || status === 'cancelled') return {};
  const answer = toolAnswer(outcome, {});
  if (status === 'completed' && answer.kind === 'result')
    return { result: { resultType: 'complete', ...answer.result } };
  if (answer.kind === 'failure') return { error: errorOf(answer.failure) };
  const { code, message } = outcome.error ?? { code: 'internal', message: 'Internal error.' };
  return { error: { code: -32603, message, data: { code, audit_event_id: outcome.audit_event_id } } };
}

/** One of the extension's three methods on a task; there is no list. To every lease but its own a task does not exist. */
export const onTask =
  (verb: RunVerb): Method =>
  async (edge: McpEdge, exchange: Exchange, { id, params, era }) => {
    const { caller } = exchange;
    const { taskId, inputResponses } = params;
    try {
      if (!takesTasks(params, era)) return await undeclared(edge, exchange);
      if (typeof taskId !== 'string' || taskId.length > 64) return await noTask(edge, exchange, taskId);
      if (verb === 'update' && !isObject(inputResponses))
        return await refuseParams(edge, exchange, 'params.inputResponses must be an object.', {
          path: '/params/inputResponses',
          rule: 'type',
        });
      const view = await edge.router.run(caller, taskId, verb);
      if (view === null) return await noTask(edge, exchange, taskId);
      // Acknowledged, no more: what came of it, the next look shows. No run of ours asks for input, so an update changes nothing.
      if (verb !== 'get') return { kind: 'result', result: {} };
      return { kind: 'result', result: { ...taskOf(view), ...outcomeOf(view.run.status, view.outcome) } };
    } catch (error) {
      return identityAnswer(failureOf(error, caller), id);
    }
  };

/** The extension was not declared with this request. Who it is comes first: a stranger learns nothing of what is served here. */
async function undeclared(edge: McpEdge, { caller }: Exchange): Promise<Answer> {
  const message = 'Missing required client capability';
  const { kind, failure } = await recordRefusal(
    edge.router,
    caller,
    invalid(message, { rule: 'capability' }),
  );
  if (kind === 'outranked') return { kind: 'failure', failure };
  const data = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } }, ...idsOf(failure) };
  return { kind: 'error', http: 400, error: { code: MISSING_CAPABILITY, message, data } };
}

const noTask = (edge: McpEdge, exchange: Exchange, taskId: unknown): Promise<Answer> =>
  refuseParams(edge, exchange, 'No such task.', {
    path: '/params/taskId',
    rule: 'unknown',
    task_id: String(taskId).slice(0, 64),
  });
