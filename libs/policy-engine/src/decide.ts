import { canonicalJson, NO_OBLIGATIONS, sha256, type Decision, type PolicyFacts } from '@adaos/contracts';
import { LRUCache } from 'lru-cache';
import { cedar } from './cedar.js';
import type { PolicySet } from './compile.js';
import { allowText, callerText, defaultDenyText, operatorText } from './explain.js';
import { mergeObligations } from './obligations.js';
import type { Rule } from './rule.js';

/** A decision before it gets its id and permit; equal facts under one revision share it. */
export type Verdict = Pick<
  Decision,
  'decision' | 'code' | 'explanation' | 'operator_explanation' | 'determining_rules' | 'obligations'
>;

export type Decide = (facts: PolicyFacts) => Verdict;

/**
 * What the memory is kept by: the canonical bytes of all facts but the credential's id. Policies can't see the id (rule.ts refuses those that
 * name one, and the engine is given a constant), so a thousand leases of one profile on one target share one verdict. JSON can't write two
 * values alike, RFC 8785 doesn't write one value in two ways, and SHA-256 keeps a caller who varies a header from filling the memory.
 */
export function memoKey({ grant: { grant_id: _, ...grant }, ...facts }: PolicyFacts): string {
  return sha256(canonicalJson({ ...facts, grant }));
}

/**
 * Makes the decision function for a policy set: the exact facts in, the verdict out, remembered by the bytes of the facts.
 * Whatever goes wrong inside the engine denies.
 */
export function createDecider(set: PolicySet, options: { memo_size: number }): Decide {
  if (options.memo_size === 0) return (facts) => evaluate(set, facts);
  const memo = new LRUCache<string, Verdict>({ max: options.memo_size });
  return (facts) => {
    const key = memoKey(facts);
    const known = memo.get(key);
    if (known) return known;
    const verdict = evaluate(set, facts);
    // A fault of the engine is not a decision: the next call asks again.
    if (!verdict.determining_rules[0]?.startsWith('engine.')) memo.set(key, verdict);
    return verdict;
  };
}

const NOT_MADE = 'The decision could not be made.';

function evaluate(set: PolicySet, facts: PolicyFacts): Verdict {
  const { grant_id: _, ...grant } = facts.grant;
  const principal = { type: 'Adaos::Grant', id: 'caller' };
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
    preparsedPolicySetId: isPolicyTool(facts) ? set.guard_slot : set.slot,
    preparsedSchemaName: set.slot,
    validateRequest: true,
  });
  if (answer.type === 'failure')
    return deny(
      'internal',
      NOT_MADE,
      'engine.failure',
      answer.errors.map(({ message }) => message).join('; '),
    );
  const { decision, diagnostics } = answer.response;
  // An error in a forbid would silently drop it: any error denies.
  if (diagnostics.errors.length)
    return deny(
      'internal',
      NOT_MADE,
      'engine.error',
      diagnostics.errors.map(({ policyId, error }) => `${policyId}: ${error.message}`).join('; '),
    );
  const rules = diagnostics.reason.map((id) => set.rules.get(id)).filter((r): r is Rule => r !== undefined);
  const forbids = rules.filter(({ effect }) => effect === 'forbid').sort((a, b) => a.rank - b.rank);
  // A permit of the zone ties an allow to obligations; whether there is one only the guards say.
  if (decision === 'allow' && rules.some(({ origin, effect }) => origin === 'guard' && effect === 'permit'))
    return {
      decision: 'allow',
      code: null,
      explanation: '',
      operator_explanation: allowText(rules),
      determining_rules: rules.map(({ rule_id }) => rule_id).sort(),
      obligations: mergeObligations(rules.map(({ obligations }) => obligations)),
    };
  const [speaking] = forbids;
  if (!speaking)
    return deny(
      'forbidden',
      defaultDenyText(facts),
      'default.deny',
      operatorText([...set.rules.values()], null, facts),
    );
  const text = callerText(speaking, facts);
  const told = operatorText(forbids, speaking, facts);
  if (speaking.code !== 'approval_required') return deny(speaking.code, text, speaking.rule_id, told);
  // Only a write can be approved: a read would ask for what nobody can give it.
  if (!facts.tool.side_effect_class.endsWith('_write'))
    return deny('forbidden', text, speaking.rule_id, told);
  return { ...deny(speaking.code, text, speaking.rule_id, told), decision: 'require_approval' };
}

/** A zone's policies have no say in who reads and changes them: a slip must not lock out those who could undo it. */
const isPolicyTool = ({ tool }: PolicyFacts) => tool.plane_id === 'zone_admin' && tool.served_by === 'policy';

const deny = (code: string, explanation: string, rule_id: string, operator_explanation: string): Verdict => ({
  decision: 'deny',
  code,
  explanation,
  operator_explanation: operator_explanation.slice(0, 1_000),
  determining_rules: [rule_id],
  obligations: NO_OBLIGATIONS,
});
