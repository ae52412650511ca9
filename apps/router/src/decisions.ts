import type { Decision, PermitRequest, PolicyFacts } from '@adaos/contracts';
import type { Bus } from '@adaos/bus';
import type { Clock } from '@adaos/runtime';
import { askRoot } from './ask.js';
import { LRUCache } from 'lru-cache';

const DECIDE_TIMEOUT_MS = 3_000;
/** Milliseconds. A decision without a permit is reused no longer than a read permit lives. */
const DECISION_TTL_MS = 30_000;
/** A permit is not handed out so late that it would expire on its way to the hub. */
const PERMIT_MARGIN_MS = 5_000;

/**
 * Asks policy, and for reads remembers the answer by the exact facts (D13): a read then costs no hop to policy, a write always asks.
 * Facts change with grant, target version, published surface and status, so a changed world misses the memory by itself.
 */
export function createDecisions({ bus, clock }: { bus: Bus; clock: Clock }) {
  const remembered = new LRUCache<string, { decision: Decision; until: number }>({ max: 50_000 });

  const ask = (facts: PolicyFacts, permit: PermitRequest | null) =>
    askRoot<Decision>(bus, 'policy_decide', { facts, permit }, DECIDE_TIMEOUT_MS);

  return {
    async decide(facts: PolicyFacts, permit: PermitRequest | null): Promise<Decision> {
      if (permit?.kind === 'write' || facts.tool.side_effect_class.endsWith('_write'))
        return ask(facts, permit);
      const key = JSON.stringify(facts);
      const now = clock.now();
      const known = remembered.get(key);
      if (known && now < known.until) return known.decision;
      const decision = await ask(facts, permit);
      const until = decision.permit_expires_at
        ? Date.parse(decision.permit_expires_at) - PERMIT_MARGIN_MS
        : now + DECISION_TTL_MS;
      remembered.set(key, { decision, until });
      return decision;
    },
    /** A new policy revision or a revocation: nothing decided before counts. */
    forget: () => remembered.clear(),
  };
}
export type Decisions = ReturnType<typeof createDecisions>;
