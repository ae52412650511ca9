import {
  compactFacts,
  Decision,
  isWrite,
  OpError,
  sha256,
  subjectOf,
  validator,
  type PermitRequest,
  type PolicyFacts,
} from '@adaos/contracts';
import type { Bus } from '@adaos/bus';
import type { Clock } from '@adaos/runtime';
import { LRUCache } from 'lru-cache';
import { askRoot } from './ask.js';

const DECIDE_TIMEOUT_MS = 3_000;
/** Milliseconds. A decision without a permit is reused no longer than a read permit lives. */
const DECISION_TTL_MS = 30_000;
/** A permit is not handed out so late that it would expire on its way to the hub. */
const PERMIT_MARGIN_MS = 5_000;
/** Milliseconds. With policy's own look at the newest version, a lost event can't leave an old policy longer than STALE. */
const REVISION_CHECK_MS = 500;
const STALE_MS = 2_000;
/** Milliseconds a read of root's own descriptions may go on by a decision made before policy went away, where the zone allows it. */
const DOWN_READS_MS = 300_000;
const DOWN_READS_RULE = 'policy.down_reads';

export const POLICY_DOWN_READS = ['deny', 'allow_decided'] as const;

const checkDecision = validator<Decision>(Decision);

/** A decision with the facts it was made by, as the record keeps them. */
export interface Decided extends ReturnType<typeof compactFacts> {
  readonly decision: Decision;
}

export interface DecisionDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly down_reads: (typeof POLICY_DOWN_READS)[number];
}

/**
 * Asks policy, and for reads remembers the answer by the digest of the exact facts (D13): a read then costs no hop to policy, a write
 * always asks. Facts change with grant, target version, published surface and status, so a changed world misses the memory by itself; and
 * nothing remembered counts unless it was decided by the revision that policy said is in force within the last two seconds.
 */
export function createDecisions({ bus, clock, down_reads }: DecisionDeps) {
  const perf = { now: clock.now };
  const remembered = new LRUCache<string, Decided & { until: number }>({
    max: 20_000,
    ttl: DECISION_TTL_MS,
    perf,
  });
  const before_outage = new LRUCache<string, Decided>({ max: 5_000, ttl: DOWN_READS_MS, perf });
  let revision: string | null = null;
  let checked_at = -Infinity;
  // An answer that was under way across a change of policy or a revocation is used once and not kept.
  let generation = 0;

  const forget = () => {
    generation++;
    remembered.clear();
    before_outage.clear();
  };

  async function checkRevision(): Promise<void> {
    const asked_at = clock.now();
    const answer = await bus.request<{ revision: string }>(
      subjectOf('policy_revision'),
      {},
      { timeout_ms: 1_000 },
    );
    if (revision !== null && answer.revision !== revision) forget();
    revision = answer.revision;
    checked_at = asked_at;
  }
  // Policy away: checked_at grows old, and every call asks policy itself, which then denies.
  const tick = () => void checkRevision().catch(() => undefined);
  tick();
  const stop = clock.every(REVISION_CHECK_MS, tick);

  const counts = (known: Decided & { until: number }) =>
    clock.now() < known.until &&
    clock.now() - checked_at < STALE_MS &&
    known.decision.policy_revision === revision;

  async function ask(facts: PolicyFacts, permit: PermitRequest | null): Promise<Decided> {
    const bound = { timeout_ms: DECIDE_TIMEOUT_MS, check: checkDecision };
    const decision = await askRoot(bus, 'policy_decide', { facts, permit }, bound);
    return { decision, ...compactFacts(facts) };
  }

  /** While policy is away: what it allowed before, for reads that leave root's own descriptions and never reach a hub. */
  function goOn(error: unknown, key: string): Decided {
    const known = before_outage.get(key);
    const away = error instanceof OpError && error.code === 'dependency_unavailable';
    if (!away || !known || down_reads !== 'allow_decided') throw error;
    const { decision } = known;
    const operator_explanation = `Policy does not answer; ${decision.decision_id} allowed the same before.`;
    const determining_rules = [...decision.determining_rules, DOWN_READS_RULE];
    return { ...known, decision: { ...decision, determining_rules, operator_explanation } };
  }

  return {
    async decide(facts: PolicyFacts, permit: PermitRequest | null): Promise<Decided> {
      if (permit?.kind === 'write' || isWrite(facts.tool)) return ask(facts, permit);
      const key = sha256(JSON.stringify(facts));
      const known = remembered.get(key);
      if (known && counts(known)) return known;
      const before = generation;
      let decided: Decided;
      try {
        decided = await ask(facts, permit);
      } catch (error) {
        return goOn(error, key);
      }
      const { decision } = decided;
      // Not a word on the facts, but on the state policy is in.
      const passing = decision.code === 'dependency_unavailable' || decision.code === 'internal';
      if (before !== generation || passing) return decided;
      const until = decision.permit_expires_at
        ? Date.parse(decision.permit_expires_at) - PERMIT_MARGIN_MS
        : clock.now() + DECISION_TTL_MS;
      remembered.set(key, { ...decided, until });
      if (decision.decision === 'allow' && isRootDescription(facts)) before_outage.set(key, decided);
      return decided;
    },
    /** A new policy revision or a revocation: nothing decided before counts. */
    forget,
    /** Policy says that something else is in force: asked at once, since what is decided until then can't be remembered. */
    changed(): void {
      forget();
      tick();
    },
    stop,
  };
}
export type Decisions = ReturnType<typeof createDecisions>;

const isRootDescription = ({ tool }: PolicyFacts) =>
  tool.routing_class === 'descriptive_cached_read' && tool.served_by !== 'hub';
