import { inputKindOf, OpError, type InputAsked, type InputGiven, type InputKind } from '@adaos/contracts';

/** A kind as the client capability that declares it (MCP 2026-07-28). */
const CAPABILITY: Record<InputKind, Record<string, unknown>> = {
  'elicitation.form': { elicitation: { form: {} } },
  'elicitation.url': { elicitation: { url: {} } },
  sampling: { sampling: {} },
  roots: { roots: {} },
};

/**
 * Of a tool's questions those its caller declared that it takes: no other may be put to it. Throws OpError(input_required) when none is
 * left, naming the capabilities that would help.
 */
export function askable(asked: InputAsked, given: InputGiven | undefined): InputAsked {
  const entries = Object.entries(asked.requests);
  const kept = entries.filter(([, request]) => given?.accepts.includes(inputKindOf(request)));
  if (kept.length > 0) return { ...asked, requests: Object.fromEntries(kept) };
  const [, first] = entries[0] ?? [];
  // Only a state and no question: the client comes back with it, which every client of that revision can.
  if (!first && given) return asked;
  throw new OpError('input_required', first && { required_capabilities: CAPABILITY[inputKindOf(first)] });
}
