import { findTool, type Envelope } from '@adaos/contracts';
import { adviseRetry } from '../answer.js';
import { failureOf } from '../failure.js';
import type { Ask } from '../router-port.js';
import type { Answer } from './answer.js';
import { takesTasks } from './client-capabilities.js';
import type { Exchange, McpEdge } from './exchange.js';
import { metaOf } from './json-rpc.js';
import { showsLogs } from './log-messages.js';
import type { MethodRequest } from './methods.js';
import { inRounds, type RoundAsk, type RoundRequest } from './multi-round.js';
import { followProgress, progressTokenOf } from './progress.js';
import { refuseParams } from './refuse-params.js';
import { taskStarted } from './tasks.js';
import { toolAnswer } from './tool-result.js';

/** A dry run asked for beside the arguments counts: a client that put it in the wrong place must not get the real thing. */
const wantsDryRun = (params: Record<string, unknown>): boolean =>
  params['dry_run'] === true ||
  metaOf(params)['dry_run'] === true ||
  metaOf(params)['io.adaos/dry_run'] === true;

/** `tools/call`, top to bottom: the round it is in, one governed call, then its result or the next round. */
export async function callTool(
  edge: McpEdge,
  exchange: Exchange,
  { id, params, era }: MethodRequest,
): Promise<Answer> {
  const { caller, abort } = exchange;
  const { name, arguments: args = {} } = params;
  // Only the legacy era cancels by notification; a modern client closes the stream.
  const digest = era === 'legacy' ? caller.credentials.bearer_digest : null;
  const token = progressTokenOf(exchange, params);
  let done: (() => void) | undefined;
  let unfollow: (() => void) | undefined;
  try {
    if (typeof name !== 'string')
      return await refuseParams(edge, exchange, 'params.name must be a string.', {
        path: '/params/name',
        rule: 'type',
      });
    const request = { method: 'tools/call', name, args, params, era };
    if (digest !== null) done = edge.in_flight.add(digest, id, abort);
    const logs = showsLogs(exchange, name, params, era);
    const hears = token !== null || logs;
    if (hears) unfollow = followProgress(edge.progress, exchange, { token, logs });
    const once = async (round: RoundAsk): Promise<Envelope | Answer> => {
      const ask: Ask = {
        name,
        ...round,
        ...(wantsDryRun(params) && { dry_run: true }),
        ...(hears && { progress: true }),
      };
      if (!mayBeTask(name, request)) return edge.router.call(caller, ask, abort.signal);
      const started = await edge.router.startRun(caller, ask, abort.signal);
      return 'run' in started ? taskStarted(started.run) : started.envelope;
    };
    return await inRounds(edge, exchange, request, once, (envelope) => {
      adviseRetry(exchange.res, envelope);
      return toolAnswer(envelope, args);
    });
  } catch (error) {
    if (abort.signal.aborted) return { kind: 'cancelled' };
    return { kind: 'failure', failure: failureOf(error, caller) };
  } finally {
    unfollow?.();
    done?.();
  }
}

/** A tool that may go on after its answer, for a client that takes tasks. Which of its calls do, router decides. */
const mayBeTask = (name: string, { params, era }: RoundRequest): boolean =>
  takesTasks(params, era) && findTool(name)?.contract.task === 'optional';
