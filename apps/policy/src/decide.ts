import cedar from '@cedar-policy/cedar-wasm/nodejs';
import { LRUCache } from 'lru-cache';
import { sha256, type Decision, type PolicyFacts } from '@adaos/contracts';
import type { PolicySet, Rule } from './policy-set.js';

/** A decision before it gets its id and permit; equal facts under one revision share it. */
export type Verdict = Pick<Decision, 'decision' | 'code' | 'explanation' | 'determining_rules'>;

const GRANTED: Verdict = { decision: 'allow', code: null, explanation: '', determining_rules: [] };

/**
 * Makes the decision function for a policy set: the exact facts in, the verdict out, remembered by the bytes of the facts.
 * Whatever goes wrong inside the engine denies.
 */
export function createDecider(set: PolicySet, options: { memo_size: number }) {
  const memo = new LRUCache<string, Verdict>({ max: options.memo_size });
  return function decide(facts: PolicyFacts): Verdict {
    // The digest, not the facts: a caller who varies a header must not fill the memory.
    const key = sha256(JSON.stringify(facts));
    const known = memo.get(key);
    if (known) return known;
    const verdict = evaluate(set, facts);
    // A fault of the engine is not a decision: the next call asks again.
    if (!verdict.determining_rules[0]?.startsWith('engine.')) memo.set(key, verdict);
    return verdict;
  };
}

function evaluate(set: PolicySet, facts: PolicyFacts): Verdict {
  const { grant_id, ...grant } = facts.grant;
  const principal = { type: 'Adaos::Grant', id: grant_id };
  const resource = { type: 'Adaos::Tool', id: facts.tool.tool_id };
  const answer = cedar.statefulIsAuthorized({
    principal,
    action: { type: 'Adaos::Action', id: 'call' },
    resource,
    context: { ...(facts.target && { target: facts.target }), call: facts.call },
    entities: [
      { uid: principal, attrs: grant, parents: [] },
      { uid: resource, attrs: facts.tool, parents: [] },
    ],
    preparsedPolicySetId: set.set_id,
    preparsedSchemaName: set.schema_id,
    validateRequest: true,
  });
  if (answer.type === 'failure')
    return deny('internal', 'The decision could not be made.', ['engine.failure']);
  const { decision, diagnostics } = answer.response;
  // An error in a forbid would silently drop it: any error denies.
  if (diagnostics.errors.length) return deny('internal', 'The decision could not be made.', ['engine.error']);
  const rules = diagnostics.reason.map((id) => set.rules.get(id)).filter((r): r is Rule => r !== undefined);
  const ids = rules.map((r) => r.rule_id).sort();
  if (decision === 'allow') return { ...GRANTED, determining_rules: ids };
  const speaking = rules.filter((r) => r.effect === 'forbid').sort((a, b) => a.rank - b.rank)[0];
  if (!speaking)
    return deny('forbidden', 'The credential lacks the capability this tool needs.', ['default.deny']);
  const kind = speaking.code === 'approval_required' ? 'require_approval' : 'deny';
  return {
    decision: kind,
    code: speaking.code,
    explanation: speaking.explain,
    determining_rules: [speaking.rule_id],
  };
}

const deny = (code: string, explanation: string, determining_rules: string[]): Verdict => ({
  decision: 'deny',
  code,
  explanation,
  determining_rules,
});
