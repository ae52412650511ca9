import { OpError, type Grant, type ToolContract } from '@adaos/contracts';
import type { Limits } from '@adaos/limits';

/** Milliseconds a slot outlives a replica that died; a living one renews it for as long as its call runs. */
const SLOT_TTL_MS = 5_000;

/**
 * Takes what a call needs of the shared limits: rate per lease and tool, and for hub calls a slot per target and per actor. The
 * answer gives the slots back. Throws OpError(rate_limited | concurrency_limited) with `retry_after_ms`.
 */
export async function takeLimits(
  limits: Limits,
  grant: Grant,
  tool: ToolContract,
  target_id: string | null,
): Promise<() => void> {
  const rate = limits.take(`rate:${grant.grant_id}:${tool.tool_id}`, tool.rate_limit);
  if (tool.served_by !== 'hub' || target_id === null) {
    refuseOver(await rate);
    return () => undefined;
  }
  const [taken, onTarget, ofActor] = await Promise.all([
    rate,
    limits.acquire(`slot:${target_id}:${tool.tool_id}`, tool.max_concurrency_per_target, SLOT_TTL_MS),
    limits.acquire(`slot:${grant.grant_id}:${tool.tool_id}`, tool.max_concurrency_per_actor, SLOT_TTL_MS),
  ]);
  const release = () => {
    if (onTarget.allowed) void onTarget.release();
    if (ofActor.allowed) void ofActor.release();
  };
  try {
    refuseOver(taken);
    if (!onTarget.allowed)
      throw new OpError('concurrency_limited', { scope: 'target', limit: tool.max_concurrency_per_target });
    if (!ofActor.allowed)
      throw new OpError('concurrency_limited', { scope: 'actor', limit: tool.max_concurrency_per_actor });
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Calls of one credential a minute on one replica, whatever they ask: refusals cost time too, and are not counted elsewhere. */
const CALL_RATE = { points: 6_000, duration_s: 60 } as const;

/** Before a call's arguments are even looked at. Throws OpError(rate_limited). */
export async function takeCall(local: Limits, grant: Grant): Promise<void> {
  refuseOver(await local.take(`call:${grant.grant_id}`, CALL_RATE));
}

function refuseOver(taken: { allowed: boolean; retry_after_ms: number }): void {
  if (!taken.allowed) throw new OpError('rate_limited', { retry_after_ms: Math.ceil(taken.retry_after_ms) });
}
