import { setImmediate as breathe } from 'node:timers/promises';
import { digestOf } from '@adaos/contracts';
import {
  changeOf,
  readObligations,
  verdictWord,
  CHANGES,
  type Change,
  type Decide,
  type Verdict,
} from '@adaos/policy-engine';
import { choiceOf, withPolicies } from './chosen-text.js';
import type { PolicyToolDeps } from './deps.js';
import { decisionsOf, type RecordedDecision } from './recorded.js';

export interface ReplayArgs {
  since: string;
  until?: string;
  text?: string;
  version_id?: string;
  limit?: number;
}

const PAGE = 200;
const MAX_GROUPS = 200;
/** Ids of events told per group: enough to look at. */
const MAX_EXAMPLES = 5;
/** Milliseconds of a replay, within the contract's timeout. */
const MAX_MS = 25_000;
/** Decisions between two looks at the event loop: a replay must not hold up the decisions of calls. */
const SLICE = 25;

interface Group {
  readonly change: Change;
  readonly tool_id: string | null;
  readonly target_id: string | null;
  readonly profile: string;
  readonly before: string;
  readonly after: string;
  readonly rules: readonly string[];
  calls: number;
  readonly actors: string[];
  readonly event_ids: string[];
}

/** Decides recorded calls again. Calls of equal facts are decided once. */
export async function replay(deps: PolicyToolDeps, args: ReplayArgs, subnet_id: string | null) {
  const { since, until, limit = 1_000 } = args;
  const { done, faults } = await withPolicies(deps, choiceOf(args), async (set, decide) => {
    const again = remembering(decide);
    const groups = new Map<string, Group>();
    const counts = { replayed: 0, not_replayable: 0, changed: 0 };
    const ends = deps.clock.now() + MAX_MS;
    let cursor: string | null = null;
    let complete = true;
    for (let read = 0; read < limit;) {
      const page: Awaited<ReturnType<typeof decisionsOf>> = await decisionsOf(deps, {
        since,
        ...(until !== undefined && { until }),
        ...(subnet_id !== null && { subnet_id }),
        limit: Math.min(PAGE, limit - read),
        cursor,
      });
      for (const [index, one] of page.decisions.entries()) {
        if (index % SLICE === SLICE - 1) await breathe();
        gather(counts, groups, one, again(one));
      }
      read += page.decisions.length;
      cursor = page.next_cursor;
      if (cursor === null) break;
      complete = read < limit && deps.clock.now() < ends;
      if (!complete) break;
    }
    const told = [...groups.values()].sort(byWeight);
    return {
      revision: set.revision,
      ...counts,
      complete: complete && told.length <= MAX_GROUPS,
      groups: told.slice(0, MAX_GROUPS),
    };
  });
  const nothing = { revision: '', replayed: 0, not_replayable: 0, changed: 0, complete: false, groups: [] };
  return { ...(done ?? nothing), faults };
}

/** The verdict on the facts of a recorded call; null where they are not whole. */
function remembering(decide: Decide) {
  const known = new Map<string, Verdict>();
  return ({ facts }: RecordedDecision): Verdict | null => {
    if (!facts) return null;
    const key = digestOf(facts);
    const verdict = known.get(key) ?? decide(facts);
    known.set(key, verdict);
    return verdict;
  };
}

function gather(
  counts: { replayed: number; not_replayable: number; changed: number },
  groups: Map<string, Group>,
  one: RecordedDecision,
  after: Verdict | null,
): void {
  if (!after) {
    counts.not_replayable++;
    return;
  }
  counts.replayed++;
  const before = verdictOf(one);
  const change = changeOf(before, after);
  if (!change) return;
  counts.changed++;
  const group = {
    change,
    tool_id: one.tool_id,
    target_id: one.target_id,
    profile: one.facts?.grant.capability_profile ?? '',
    before: verdictWord(before),
    after: verdictWord(after),
    rules: change === 'gains' ? one.rules : after.determining_rules,
  };
  const key = JSON.stringify(group);
  const known = groups.get(key) ?? { ...group, calls: 0, actors: [], event_ids: [] };
  known.calls++;
  if (one.actor !== null && known.actors.length < MAX_EXAMPLES && !known.actors.includes(one.actor))
    known.actors.push(one.actor);
  if (known.event_ids.length < MAX_EXAMPLES) known.event_ids.push(one.event_id);
  groups.set(key, known);
}

const verdictOf = (one: RecordedDecision): Verdict => ({
  decision: one.decision as Verdict['decision'],
  code: one.code,
  explanation: one.explanation,
  operator_explanation: one.operator_explanation,
  determining_rules: [...one.rules],
  obligations: readObligations(one.obligations),
});

const byWeight = (a: Group, b: Group) =>
  CHANGES.indexOf(a.change) - CHANGES.indexOf(b.change) || b.calls - a.calls;
