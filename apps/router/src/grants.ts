import { Grant, OpError, subjectOf, validator } from '@adaos/contracts';
import type { Bus } from '@adaos/bus';
import type { Clock } from '@adaos/runtime';
import { askRoot } from './ask.js';
import { LRUCache } from 'lru-cache';

/** Milliseconds. A lost revocation event can't leave a live bearer longer than STALE (D5). */
const EPOCH_CHECK_MS = 500;
const STALE_MS = 2_000;
const RESOLVE_TIMEOUT_MS = 3_000;

/** Credentials with a deadline of the zone's own; an operator asks again, a token of another issuer is shown again. */
const ISSUED_HERE = new Set<Grant['auth_method']>(['mcp_session_lease', 'access_token', 'api_key']);

const checkGrant = validator<Grant>(Grant);

export interface GrantCache {
  /** Bearer digest → grant, from the cache while the revocation epoch is known to be current. Throws OpError(unauthenticated, lease_*). */
  resolve(bearer_digest: string | null): Promise<Grant>;
  /** Has this lease been revoked since its grant was handed out? Judged again before a result leaves. */
  isRevoked(grant_id: string): boolean;
  /** Grows with every revocation seen, also one whose event was lost. */
  generation(): number;
  /** A revocation event: drops the lease now, and for good if it is final. */
  revoke(lease_id: string, epoch: number, final?: boolean): void;
  stop(): void;
}

/** Grants resolved by session, kept under the zone's revocation epoch. */
export function createGrantCache({
  bus,
  clock,
  onDrop,
}: {
  bus: Bus;
  clock: Clock;
  onDrop?: () => void;
}): GrantCache {
  const cached = new LRUCache<string, Grant>({ max: 20_000 });
  const revoked = new LRUCache<string, true>({ max: 20_000 });
  let epoch = -1;
  let checked_at = -Infinity;
  // Grows with every revocation seen: a resolve that was under way across one is not cached.
  let generation = 0;

  const drop = () => {
    generation++;
    cached.clear();
    // What was decided under the old epoch counts no more either (D13).
    onDrop?.();
  };

  async function checkEpoch(): Promise<void> {
    const asked_at = clock.now();
    const answer = await bus.request<{ epoch: number }>(
      subjectOf('session_epoch'),
      {},
      { timeout_ms: 1_000 },
    );
    if (answer.epoch !== epoch) drop();
    epoch = answer.epoch;
    checked_at = asked_at;
  }
  // Session away: checked_at grows old and every call asks session itself, which then denies.
  const tick = () => void checkEpoch().catch(() => undefined);
  tick();
  const stop = clock.every(EPOCH_CHECK_MS, tick);

  async function ask(bearer_digest: string): Promise<Grant> {
    const before = generation;
    const grant = await askRoot(
      bus,
      'session_resolve',
      { bearer_digest },
      { timeout_ms: RESOLVE_TIMEOUT_MS, check: checkGrant },
    );
    if (before === generation) cached.set(bearer_digest, grant);
    return grant;
  }

  return {
    async resolve(bearer_digest) {
      if (bearer_digest === null) throw new OpError('unauthenticated');
      const fresh = clock.now() - checked_at < STALE_MS;
      const known = fresh ? cached.get(bearer_digest) : undefined;
      // A lapsed grant is asked for again: an operator's ends before its token does, a lease's then says that it expired.
      const grant = known && Date.parse(known.deadline_at) > clock.now() ? known : await ask(bearer_digest);
      const details = { grant_id: grant.grant_id, actor: grant.actor };
      if (revoked.has(grant.grant_id)) throw new OpError('lease_revoked', details);
      if (Date.parse(grant.deadline_at) <= clock.now()) {
        cached.delete(bearer_digest);
        throw ISSUED_HERE.has(grant.auth_method)
          ? new OpError('lease_expired', details)
          : new OpError('unauthenticated');
      }
      return grant;
    },
    isRevoked: (grant_id) => revoked.has(grant_id),
    generation: () => generation,
    revoke(lease_id, revoked_epoch, final = true) {
      if (final) revoked.set(lease_id, true);
      drop();
      epoch = Math.max(epoch, revoked_epoch);
    },
    stop,
  };
}
