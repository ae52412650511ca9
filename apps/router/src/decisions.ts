import { Decision, sha256, validator, type PermitRequest, type PolicyFacts } from '@adaos/contracts';
import type { Bus } from '@adaos/bus';
import type { Clock } from '@adaos/runtime';
import { LRUCache } from 'lru-cache';
import { askRoot } from './ask.js';

const DECIDE_TIMEOUT_MS = 3_000;
/** Milliseconds. A decision without a permit is reused no longer than a read permit lives. */
const DECISION_TTL_MS = 30_000;
/** A permit is not handed out so late that it would expire on its way to the hub. */
const PERMIT_MARGIN_MS = 5_000;

const checkDecision = validator<Decision>(Decision);

/**
 * Asks policy, and for reads remembers the answer by the digest of the exact facts (D13): a read then costs no hop to policy, a write
 * always asks. Facts change with grant, target version, published surface and status, so a changed world misses the memory by itself.
 */
export function createDecisions({ bus, clock }: { bus: Bus; clock: Clock }) {
  const remembered = new LRUCache<string, { decision: Decision; until: number }>({
    max: 20_000,
    ttl: DECISION_TTL_MS,
    perf: { now: clock.now },
  });
  // An answer that was under way across a change of policy or a revocation is used once and not kept.
  let generation = 0;

  const ask = (facts: PolicyFacts, permit: PermitRequest | null) =>
    askRoot(bus, 'policy_decide', { facts, permit }, { timeout_ms: DECIDE_TIMEOUT_MS, check: checkDecision });

  return {
    async decide(facts: PolicyFacts, permit: PermitRequest | null): Promise<Decision> {
      if (permit?.kind === 'write' || facts.tool.side_effect_class.endsWith('_write'))
        return ask(facts, permit);
      const key = sha256(JSON.stringify(facts));
      const known = remembered.get(key);
      if (known && clock.now() < known.until) return known.decision;
      const before = generation;
      const decision = await ask(facts, permit);
      const until = decision.permit_expires_at
        ? Date.parse(decision.permit_expires_at) - PERMIT_MARGIN_MS
        : clock.now() + DECISION_TTL_MS;
      if (before === generation) remembered.set(key, { decision, until });
      return decision;
    },
    /** A new policy revision or a revocation: nothing decided before counts. */
    forget(): void {
      generation++;
      remembered.clear();
    },
  };
}
export type Decisions = ReturnType<typeof createDecisions>;
