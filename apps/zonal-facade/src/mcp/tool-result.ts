import { findTool, type Envelope } from '@adaos/contracts';
import { failureIn, isStepUp, outranks } from '../failure.js';
import { errorOf, idsOf, type Answer } from './answer.js';
import { INVALID_PARAMS, isObject } from './json-rpc.js';

const OURS = 'io.adaos/';

/** An envelope as the answer to `tools/call` (contracts.md, "Envelope of a call" and Rulings). */
export function toolAnswer(envelope: Envelope, args: unknown): Answer {
  const failure = failureIn(envelope);
  if (failure === null) {
    const structured = envelope.result ?? {};
    if (findTool(envelope.tool_id)?.contract.presentation === 'native')
      return { kind: 'result', result: { content: structured['content'] ?? [], _meta: metaOf(envelope) } };
    return {
      kind: 'result',
      result: {
        // Clients show the model one of the two, so both say the same (reference, 6.5).
        content: [{ type: 'text', text: JSON.stringify(structured) }],
        structuredContent: structured,
        _meta: metaOf(envelope),
      },
    };
  }
  // Only a token of an authorization server is told scopes: a lease's lack of them is a result like any other refusal.
  if (outranks(failure) || isStepUp(failure)) return { kind: 'failure', failure };
  // One text for an unknown tool and one that is not granted: the answer is no oracle for what exists.
  if (failure.code === 'tool_not_found') {
    return { kind: 'error', error: { code: INVALID_PARAMS, message: 'Unknown tool', data: idsOf(failure) } };
  }
  if (failure.code === 'invalid_argument' && args !== undefined && !isObject(args)) {
    return { kind: 'error', error: errorOf(failure) };
  }
  const { code, message, details, ...ids } = failure;
  const told = { code, message, ...(details && { details }), ...ids, status: envelope.status };
  // No structuredContent: the v1 client validates it against the output schema even here, and throws.
  return {
    kind: 'result',
    result: {
      content: [{ type: 'text', text: JSON.stringify(told) }],
      isError: true,
      _meta: metaOf(envelope),
    },
  };
}

/** What every result of a call says of it in `_meta`. */
export function metaOf({
  tool_id,
  audit_event_id,
  trace_id,
  request_id,
  ...rest
}: Envelope): Record<string, unknown> {
  return {
    [`${OURS}tool_id`]: tool_id,
    [`${OURS}audit_event_id`]: audit_event_id,
    [`${OURS}trace_id`]: trace_id,
    [`${OURS}request_id`]: request_id,
    ...(rest.dry_run && { [`${OURS}dry_run`]: true }),
    ...(rest.redactions.length > 0 && { [`${OURS}redactions`]: rest.redactions }),
    ...(rest.truncated && { [`${OURS}truncated`]: true }),
    ...(rest.meta['replayed'] === true && { [`${OURS}replayed`]: true }),
    ...(rest.provenance && { [`${OURS}provenance`]: rest.provenance }),
  };
}
