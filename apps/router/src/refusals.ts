import { OpError, type Grant, type OperationalEvent } from '@adaos/contracts';
import type { Limits } from '@adaos/limits';
import { addressKey } from '@adaos/limits/address-key';
import { LRUCache } from 'lru-cache';
import type { RefusalTally } from './refusal-tally.js';

/** Refusals of one source a minute, over all replicas. */
export interface RefusalBounds {
  /** Each has an event of its own; more are counted, and told in one event a minute. */
  readonly recorded: number;
  /** From here on the source is not listened to until the minute is over: no question to session, no decision. */
  readonly heard: number;
  /** Events of their own for bad bearers of all addresses together: a flood from everywhere must not fill the record either. */
  readonly recorded_in_zone: number;
}

export const refusalBounds = (recorded: number): RefusalBounds => ({
  recorded,
  heard: recorded * 10,
  recorded_in_zone: recorded * 10,
});

const WINDOW_S = 60;
/** Sources and bearers remembered. A forgotten one costs a question to the shared counters or to session, no more. */
const MAX_REMEMBERED = 20_000;

/** Where refusals come from: an address nobody was recognised at, or a credential that may not do what it asks. */
export interface Source {
  readonly kind: 'address' | 'credential';
  readonly key: string;
}

type Asker = { readonly bearer_digest: string | null; readonly client: { readonly address: string } };

export interface Refusals {
  /** Before the bearer is looked at. Throws OpError(rate_limited) for an address that failed too often, unless the bearer was good before. */
  beforeBearer(asker: Asker): void;
  /** The bearer is good: its owner is heard whatever others at its address do. Throws OpError(rate_limited) for one that was refused too often. */
  afterBearer(asker: Asker, grant: Grant): void;
  /** Has this refused event a record of its own? Else it is counted. An event that is none of a refusal always has. */
  records(event: OperationalEvent): Promise<boolean>;
}

interface Standing {
  /** Milliseconds of the clock until which the allowance of recorded ones is used up, and until which the source is not heard. */
  counted_until: number;
  deaf_until: number;
}

/**
 * Bounds what refusals cost. A flood of bad bearers, or an agent that asks in a loop for what it may not do, gets a bounded number of
 * events, then a count of the rest, then no hearing at all. Known bearers of other clients at the same address go on.
 */
export function createRefusals(
  { limits, now, tally }: { limits: Limits; now: () => number; tally: RefusalTally },
  bounds: RefusalBounds,
): Refusals {
  const standings = new LRUCache<string, Standing>({ max: MAX_REMEMBERED });
  const good = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  const standingOf = ({ kind, key }: Source): Standing => {
    const name = `${kind}:${key}`;
    const known = standings.get(name);
    if (known) return known;
    const fresh = { counted_until: 0, deaf_until: 0 };
    standings.set(name, fresh);
    return fresh;
  };
  const hear = (source: Source) => {
    const left = standingOf(source).deaf_until - now();
    if (left > 0) throw new OpError('rate_limited', { scope: source.kind, retry_after_ms: Math.ceil(left) });
  };
  const take = (what: string, points: number) => limits.take(what, { points, duration_s: WINDOW_S });

  /** Within the allowance for events of its own? Asked of the shared counters only while that is not known to be used up. */
  async function mayRecord(source: Source, standing: Standing): Promise<boolean> {
    if (standing.counted_until > now()) return false;
    const own = await take(`recorded:${source.kind}:${source.key}`, bounds.recorded);
    if (!own.allowed) standing.counted_until = now() + own.retry_after_ms;
    if (!own.allowed || source.kind === 'credential') return own.allowed;
    return (await take('recorded-zone', bounds.recorded_in_zone)).allowed;
  }

  return {
    beforeBearer({ bearer_digest, client }) {
      if (bearer_digest !== null && good.has(bearer_digest)) return;
      hear({ kind: 'address', key: addressKey(client.address) });
    },
    afterBearer({ bearer_digest }, { grant_id }) {
      if (bearer_digest !== null) good.set(bearer_digest, true);
      hear({ kind: 'credential', key: grant_id });
    },
    async records(event) {
      const source = sourceOf(event);
      if (source === null) return true;
      const standing = standingOf(source);
      const heard = standing.deaf_until <= now();
      if (heard && (await mayRecord(source, standing))) return true;
      tally.count(source, event);
      // A part of the zone that is away is nobody's fault: what fails for it is counted, and heard again at once.
      if (heard && wasRefused(event)) {
        const { allowed, retry_after_ms } = await take(
          `heard:${source.kind}:${source.key}`,
          bounds.heard - bounds.recorded,
        );
        if (!allowed) standing.deaf_until = now() + retry_after_ms;
      }
      return false;
    },
  };
}

// Who asks in a loop for what waits for approval costs as much as one who asks for what is denied.
const wasRefused = ({ status }: OperationalEvent) => status === 'denied' || status === 'approval_required';

/** A lease that was revoked or has expired is nobody's any more: its failures are those of the address. */
function sourceOf(event: OperationalEvent): Source | null {
  const { lease_id, event_type, status, client } = event;
  if (event_type === 'auth.denied' || (lease_id === null && status !== 'succeeded'))
    return { kind: 'address', key: addressKey(String(client['address'] ?? '')) };
  return wasRefused(event) && lease_id !== null ? { kind: 'credential', key: lease_id } : null;
}
