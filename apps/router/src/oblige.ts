import {
  MAX_PROGRESS_MESSAGE,
  OpError,
  type ExecReply,
  type Obligations,
  type ProgressStep,
} from '@adaos/contracts';
import { mergeRedactions, OBLIGED_RULES, redactText, redactValue } from '@adaos/redact';

/**
 * What an allow was tied to, done to the answer before anybody but the record sees it: masks first, then the size of what is left. `withheld`
 * says why the caller gets no result; what a write did stands all the same.
 */
export function oblige(
  reply: ExecReply,
  { max_result_bytes, redact }: Obligations,
): { reply: ExecReply; withheld: OpError | null } {
  const rules = rulesOf(redact);
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

/** A step of a call, told while it runs: what its answer may not carry, its progress may not either. */
export function obligeStep(step: ProgressStep, { redact }: Obligations): ProgressStep {
  const rules = rulesOf(redact);
  if (rules.length === 0 || step.message === undefined) return step;
  // A marker may be longer than what it hides.
  return { ...step, message: redactText(step.message, rules).text.slice(0, MAX_PROGRESS_MESSAGE) };
}

const rulesOf = (redact: Obligations['redact']) => redact.flatMap((mask) => OBLIGED_RULES[mask]);

function maskReply(reply: ExecReply, rules: Parameters<typeof redactValue>[1]): ExecReply {
  const { result, error, input } = reply;
  const told = {
    ...(result && { result }),
    ...(error && { error }),
    ...(input && { requests: input.requests }),
  };
  const { value, redactions } = redactValue(told, rules);
  const { requests, ...masked } = value as Pick<ExecReply, 'result' | 'error'> &
    Partial<Pick<NonNullable<ExecReply['input']>, 'requests'>>;
  return {
    ...reply,
    ...masked,
    // The state beside the questions is the tool's own; masked, it could not be read again.
    ...(input && requests && { input: { ...input, requests } }),
    redactions: mergeRedactions(reply.redactions, redactions),
  };
}
