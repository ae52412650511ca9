import {
  ExecReply,
  hubIdOf,
  OpError,
  subjectOf,
  validator,
  type ExecRequest,
  type SubjectId,
  type ToolContract,
} from '@adaos/contracts';
import { BusError, type Bus } from '@adaos/bus';
import { traceparentOf } from '@adaos/runtime';
import { endedBy } from './ended-by.js';

const ROOT_EXEC = {
  descriptor: 'descriptor_exec',
  session: 'session_exec',
  router: 'router_exec',
  audit: 'audit_exec',
  policy: 'policy_exec',
} as const satisfies Record<string, SubjectId>;

const checkReply = validator<ExecReply>(ExecReply);

/**
 * Sends a decided call to whoever serves the tool. No agent on the subject is `target_offline` at once; silence until the tool's
 * timeout is `deadline_exceeded`. A reply that breaks its contract is the executor's fault and is never passed on.
 */
export async function dispatch(
  bus: Bus,
  tool: ToolContract,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<ExecReply> {
  const hub_id = tool.served_by === 'hub' ? hubIdOf(request.target_id ?? '') : null;
  if (tool.served_by === 'hub' && hub_id === null) throw new OpError('target_not_found');
  const subject =
    tool.served_by === 'hub' ? subjectOf('hub_exec', hub_id!) : subjectOf(ROOT_EXEC[tool.served_by]);
  const headers = { request_id: request.request_id, traceparent: traceparentOf(request.trace_id) };
  let reply: unknown;
  try {
    reply = await bus.request(subject, request, { timeout_ms: tool.timeout_ms, headers, signal });
  } catch (error) {
    if (error instanceof BusError && error.fault === 'no_responders' && hub_id !== null)
      throw new OpError('target_offline');
    if (error instanceof BusError && error.fault === 'aborted') throw endedBy(signal);
    throw error;
  }
  let checked: ExecReply;
  try {
    checked = checkReply(reply);
  } catch {
    throw new OpError('adapter_failed', { reason: 'reply_breaks_contract' });
  }
  if (checked.status === 'succeeded' && !checked.result)
    throw new OpError('adapter_failed', { reason: 'reply_without_result' });
  const asks = checked.status === 'input_required';
  // A hub must not put questions before a user: what they answer would go to a machine that may be taken over.
  if (asks !== (checked.input !== undefined) || (asks && hub_id !== null))
    throw new OpError('adapter_failed', { reason: 'reply_breaks_contract' });
  return checked;
}
