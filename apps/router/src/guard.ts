import { OpError, type Grant, type Obligations, type ToolContract } from '@adaos/contracts';
import type { Limits, Slot, Taken } from '@adaos/limits';

/** Milliseconds a slot outlives a replica that died; a living one renews it for as long as its call runs. */
const SLOT_TTL_MS = 5_000;
/** Milliseconds after which another try for a slot makes sense: calls on hubs take about that. */
const SLOT_RETRY_MS = 1_000;

/** What all tools together may take, whatever each contract allows. Shared by the replicas. */
export interface Ceilings {
  readonly actor_calls_per_minute: number;
  readonly zone_calls_per_minute: number;
  /** Calls on hubs at once. */
  readonly zone_calls_at_once: number;
}
export const CEILINGS: Ceilings = {
  actor_calls_per_minute: 12_000,
  zone_calls_per_minute: 600_000,
  zone_calls_at_once: 1_000,
};

/**
 * Takes what a call needs of the shared limits: the contract's rate per lease and tool, the ceilings of its actor and of the zone, and
 * for hub calls a slot per target, per actor and in the zone. The answer gives the slots back. Throws OpError(rate_limited |
 * concurrency_limited) with `scope`, `limit` and `retry_after_ms`. All at once: one hop to the shared counters, whatever comes of it.
 */
export async function takeLimits(
  limits: Limits,
  ceilings: Ceilings,
  grant: Grant,
  tool: ToolContract,
  target_id: string | null,
  obligations: Obligations,
): Promise<() => void> {
  const per_minute = (points: number) => ({ points, duration_s: 60 });
  const rates = [
    ['tool', tool.rate_limit, `tool:${grant.grant_id}:${tool.tool_id}`],
    ['actor', per_minute(ceilings.actor_calls_per_minute), `actor:${grant.actor}`],
    ['zone', per_minute(ceilings.zone_calls_per_minute), 'zone'],
    // Beside the contract's own, not in its place: neither makes room for the other.
    ...(obligations.rate_per_minute === null
      ? []
      : ([
          ['policy', per_minute(obligations.rate_per_minute), `policy:${grant.grant_id}:${tool.tool_id}`],
        ] as const)),
  ] as const;
  const on_hub = tool.served_by === 'hub' && target_id !== null;
  const slots = on_hub
    ? ([
        ['target', tool.max_concurrency_per_target, `slot-target:${target_id}:${tool.tool_id}`],
        ['actor', tool.max_concurrency_per_actor, `slot-actor:${grant.actor}:${tool.tool_id}`],
        ['zone', ceilings.zone_calls_at_once, 'slot-zone'],
      ] as const)
    : [];
  const [taken, held] = await Promise.all([
    Promise.all(rates.map(([, rate, key]) => limits.take(key, rate))),
    Promise.all(slots.map(([, max, key]) => limits.acquire(key, max, SLOT_TTL_MS))),
  ]);
  const release = () => held.forEach((slot: Slot) => void (slot.allowed && slot.release()));
  try {
    rates.forEach(([scope, { points }], i) => refuseOver(taken[i]!, { scope, limit: points }));
    slots.forEach(([scope, limit], i) => {
      if (!held[i]!.allowed)
        throw new OpError('concurrency_limited', { scope, limit, retry_after_ms: SLOT_RETRY_MS });
    });
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Requests of one credential a minute on one replica, whatever they ask: refusals cost time too. */
const CALL_RATE = { points: 6_000, duration_s: 60 } as const;

/** Before a call's arguments are even looked at. Throws OpError(rate_limited). */
export async function takeCall(local: Limits, grant: Grant): Promise<void> {
  refuseOver(await local.take(`call:${grant.grant_id}`, CALL_RATE), {
    scope: 'credential',
    limit: CALL_RATE.points,
  });
}

function refuseOver({ allowed, retry_after_ms }: Taken, details: { scope: string; limit: number }): void {
  if (!allowed) throw new OpError('rate_limited', { ...details, retry_after_ms: Math.ceil(retry_after_ms) });
}
