import type { Bus } from '@adaos/bus';
import { subjectOf, type TrustFacts } from '@adaos/contracts';
import type { Clock, Stop } from '@adaos/runtime';

/** Milliseconds between questions: soon until session has answered once, seldom then, since only its restart changes the answer. */
const SOON_MS = 1_000;
const SELDOM_MS = 30_000;
const TIMEOUT_MS = 1_000;

const NOBODY: TrustFacts = { oauth: null, oidc: null };

export interface TrustSource {
  /** What session said last; nobody is trusted until it has, which is lease mode. */
  current(): TrustFacts;
  /** Resolves once session has answered or could not be asked. */
  readonly asked: Promise<void>;
  readonly stop: Stop;
}

/**
 * Which issuers the zone trusts, as session says: it alone is configured with them, so that what the edge tells clients and what session checks
 * can not differ. Read without waiting; what it said last counts while it is away.
 */
export function trustSource({ bus, clock }: { bus: Bus; clock: Clock }): TrustSource {
  let facts: TrustFacts | undefined;
  let asked_at = -Infinity;
  const ask = async () => {
    asked_at = clock.now();
    try {
      facts = await bus.request<TrustFacts>(subjectOf('session_trust'), {}, { timeout_ms: TIMEOUT_MS });
    } catch {
      // Session is away: the next question comes soon, or what it said stands.
    }
  };
  const stop = clock.every(SOON_MS, () => {
    if (facts === undefined || clock.now() - asked_at >= SELDOM_MS) void ask();
  });
  return { current: () => facts ?? NOBODY, asked: ask(), stop: async () => stop() };
}
