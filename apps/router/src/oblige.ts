import { OpError, type ExecReply, type Obligations } from '@adaos/contracts';
import { mergeRedactions, OBLIGED_RULES, redactValue } from '@adaos/redact';

/**
 * What an allow was tied to, done to the answer before anybody but the record sees it: masks first, then the size of what is left. `withheld`
 * says why the caller gets no result; what a write did stands all the same.
 */
export function oblige(
  reply: ExecReply,
  { max_result_bytes, redact }: Obligations,
): { reply: ExecReply; withheld: OpError | null } {
  const rules = redact.flatMap((mask) => OBLIGED_RULES[mask]);
  const masked = rules.length ? maskReply(reply, rules) : reply;
  const bytes = masked.result ? Buffer.byteLength(JSON.stringify(masked.result)) : 0;
  const withheld =
    max_result_bytes !== null && bytes > max_result_bytes
      ? new OpError(
          'result_too_large',
          { limit: max_result_bytes },
          `The result is over the ${max_result_bytes} bytes that the policies of the zone allow; ask for less.`,
        )
      : null;
  return { reply: masked, withheld };
}

function maskReply(reply: ExecReply, rules: Parameters<typeof redactValue>[1]): ExecReply {
  const { result, error } = reply;
  const { value, redactions } = redactValue({ ...(result && { result }), ...(error && { error }) }, rules);
  return {
    ...reply,
    ...(value as Pick<ExecReply, 'result' | 'error'>),
    redactions: mergeRedactions(reply.redactions, redactions),
  };
}
