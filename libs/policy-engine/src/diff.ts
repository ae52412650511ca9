import { setImmediate as breathe } from 'node:timers/promises';
import type { PolicySet } from './compile.js';
import { createDecider, type Verdict } from './decide.js';
import { matrix, type Cell } from './matrix.js';
import { obligationsText } from './obligations.js';

/**
 * `gains`: it was refused and is allowed. `loses`: the other way. `needs_approval`: it was free. `limits`: the obligations differ. `says`: refused
 * as before, for another reason.
 */
export const CHANGES = ['loses', 'gains', 'needs_approval', 'limits', 'says'] as const;
export type Change = (typeof CHANGES)[number];

/** Calls that change alike for one profile or role. */
export interface ChangeGroup {
  readonly change: Change;
  readonly who: string;
  readonly before: string;
  readonly after: string;
  /** Rules that speak after, or that spoke before when nothing does now. */
  readonly rules: string[];
  readonly tools: string[];
  readonly side_effects: string[];
  readonly environments: string[];
  readonly skill_states: string[];
  /** Literals of policies this is about; empty: the sample target. */
  readonly variants: string[];
  readonly dry_run: 'only' | 'never' | 'both';
  cells: number;
}

export interface Comparison {
  readonly compared: number;
  readonly changed: number;
  /** False: the matrix was cut, and what is beyond is not told. */
  readonly complete: boolean;
  readonly groups: ChangeGroup[];
}

export interface CompareBounds {
  readonly max_cells: number;
  readonly max_groups: number;
  /** Asked now and then: is the time for this over? */
  readonly isOver?: () => boolean;
}

/** Decisions between two looks at the clock: a comparison must not hold up the decisions of calls. */
const SLICE = 25;

/** Who gains or loses what: evaluates the whole matrix on both sets. */
export async function comparePolicies(
  before: PolicySet,
  after: PolicySet,
  bounds: CompareBounds,
): Promise<Comparison> {
  const decide = [before, after].map((set) => createDecider(set, { memo_size: 0 })) as [Decide, Decide];
  const groups = new Map<string, Grouping>();
  const same_guards = before.guards_revision === after.guards_revision;
  let compared = 0;
  let changed = 0;
  let evaluated = 0;
  let complete = true;
  let over = false;
  for (const cell of matrix([before, after])) {
    if (compared >= bounds.max_cells || over) {
      complete = false;
      break;
    }
    compared++;
    // What the credential does not hold both sets refuse: that is the guards', and the zone's can't widen it.
    if (same_guards && !holds(cell)) continue;
    if (++evaluated % SLICE === 0) {
      await breathe();
      over = bounds.isOver?.() ?? false;
    }
    const verdicts = [decide[0](cell.facts), decide[1](cell.facts)] as const;
    const change = changeOf(...verdicts);
    if (!change) continue;
    changed++;
    gather(groups, change, cell, ...verdicts);
  }
  const told = [...groups.values()].map(asGroup).sort(byWeight);
  return {
    compared,
    changed,
    complete: complete && told.length <= bounds.max_groups,
    groups: told.slice(0, bounds.max_groups),
  };
}

type Decide = (facts: Cell['facts']) => Verdict;
const holds = ({ facts: { grant, tool } }: Cell) => grant.capabilities.includes(tool.required_capability);

export function changeOf(before: Verdict, after: Verdict): Change | null {
  if (before.decision !== after.decision) {
    if (after.decision === 'allow') return 'gains';
    if (before.decision !== 'allow') return before.decision === 'deny' ? 'gains' : 'loses';
    return after.decision === 'deny' ? 'loses' : 'needs_approval';
  }
  if (after.decision === 'allow')
    return obligationsText(before.obligations) === obligationsText(after.obligations) ? null : 'limits';
  const spoke = (one: Verdict) => `${one.code} ${one.determining_rules.join()}`;
  return spoke(before) === spoke(after) ? null : 'says';
}

/** A verdict in a word or two: `allow`, `allow with redact=email`, `deny: forbidden`. */
export function verdictWord({ decision, code, obligations }: Verdict): string {
  const tied = obligationsText(obligations);
  if (decision === 'allow') return tied ? `allow with ${tied}` : 'allow';
  return decision === 'deny' ? `deny: ${code}` : decision;
}

interface Grouping {
  readonly group: Pick<ChangeGroup, 'change' | 'who' | 'before' | 'after' | 'rules'>;
  readonly cells: Cell[];
}

function gather(
  groups: Map<string, Grouping>,
  change: Change,
  cell: Cell,
  before: Verdict,
  after: Verdict,
): void {
  const speaking = after.decision === 'allow' && change === 'gains' ? before : after;
  const group = {
    change,
    who: cell.who,
    before: verdictWord(before),
    after: verdictWord(after),
    rules: [...speaking.determining_rules],
  };
  const key = JSON.stringify(group);
  const known = groups.get(key) ?? { group, cells: [] };
  known.cells.push(cell);
  groups.set(key, known);
}

function asGroup({ group, cells }: Grouping): ChangeGroup {
  const distinct = (pick: (cell: Cell) => string | null) =>
    [...new Set(cells.map(pick))].filter((value): value is string => value !== null);
  const dry = new Set(cells.map((cell) => cell.dry_run));
  return {
    ...group,
    tools: distinct((cell) => cell.tool_id),
    side_effects: distinct((cell) => cell.side_effect_class),
    environments: distinct((cell) => cell.environment),
    skill_states: distinct((cell) => cell.skill_state),
    variants: cells.some((cell) => cell.variant === null) ? [] : distinct((cell) => cell.variant),
    dry_run: dry.size === 2 ? 'both' : dry.has(true) ? 'only' : 'never',
    cells: cells.length,
  };
}

const byWeight = (a: ChangeGroup, b: ChangeGroup) =>
  CHANGES.indexOf(a.change) - CHANGES.indexOf(b.change) || b.cells - a.cells || a.who.localeCompare(b.who);
