import { OpError, type PolicyFacts } from '@adaos/contracts';
import {
  asFacts,
  caseTable,
  comparePolicies,
  factLines,
  outcomeOf,
  runCases,
  type Decide,
  type PolicySet,
} from '@adaos/policy-engine';
import type { ExecTable } from '@adaos/runtime';
import { parse } from 'yaml';
import { choiceName, choiceOf, namedVersion, withPolicies, type Choice } from './chosen-text.js';
import { subnetOf, type PolicyToolDeps } from './deps.js';
import { findDecision } from './recorded.js';
import { replay, type ReplayArgs } from './replay.js';

/** Cells and groups of one comparison: a bound on its time, and on its answer. */
const COMPARE = { max_cells: 100_000, max_groups: 200 } as const;
/** Milliseconds of a comparison, within the contract's timeout. */
const COMPARE_MS = 20_000;
/** Comparisons and replays at once on a replica: they share its thread with the decisions of calls. */
const MAX_HEAVY = 2;

/** Tools that ask what policies say, and change nothing. */
export function questionTools(deps: PolicyToolDeps): ExecTable {
  let heavy = 0;
  const oneOfFew = async <T>(work: () => Promise<T>): Promise<T> => {
    if (heavy >= MAX_HEAVY) throw new OpError('concurrency_limited', { scope: 'policy', limit: MAX_HEAVY });
    heavy++;
    try {
      return await work();
    } finally {
      heavy--;
    }
  };
  return {
    'zone.test_policies': (args: TestArgs) => test(deps, args),
    'zone.diff_policies': (args: DiffArgs) => oneOfFew(() => diff(deps, args)),
    'zone.explain_decision': (args: ExplainArgs, { grant }) => explain(deps, args, subnetOf(grant)),
    'zone.replay_decisions': (args: ReplayArgs, { grant }) =>
      oneOfFew(() => replay(deps, args, subnetOf(grant))),
  };
}

interface TestArgs {
  cases?: string;
  facts?: string;
  text?: string;
  version_id?: string;
}

async function test(deps: PolicyToolDeps, args: TestArgs) {
  if ((args.cases === undefined) === (args.facts === undefined))
    throw new OpError('invalid_argument', { path: '/cases' }, 'Give cases or facts, one of them.');
  const cases = args.cases === undefined ? null : caseTable(yamlOf(args.cases));
  const facts = args.facts === undefined ? null : givenFacts(args.facts);
  const { done, faults } = await withPolicies(deps, choiceOf(args), (set, decide) => ({
    revision: set.revision,
    results: cases
      ? runCases(decide, cases)
      : [{ name: 'facts', ok: true, got: told(set, decide, facts!), differs: [], fault: null }],
  }));
  if (!done) return { revision: '', passed: 0, failed: 0, results: [], faults };
  const passed = done.results.filter(({ ok }) => ok).length;
  return { ...done, passed, failed: done.results.length - passed, faults };
}

function yamlOf(text: string): unknown {
  try {
    // Aliases could make a small text a huge table.
    return parse(text, { maxAliasCount: 0 });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'unknown';
    throw new OpError(
      'invalid_argument',
      { path: '/cases' },
      `The cases are no YAML: ${reason}`.slice(0, 400),
    );
  }
}

interface DiffArgs {
  from?: string;
  to?: string;
  text?: string;
}

async function diff(deps: PolicyToolDeps, { from = 'in_force', to, text }: DiffArgs) {
  if (to !== undefined && text !== undefined)
    throw new OpError(
      'invalid_argument',
      { path: '/to' },
      'Give a text or a version to compare with, not both.',
    );
  const before: Choice = namedVersion(from);
  const after: Choice = text !== undefined ? { text } : namedVersion(to ?? 'in_force');
  const names = { from: choiceName(before), to: choiceName(after) };
  const ends = deps.clock.now() + COMPARE_MS;
  const bounds = { ...COMPARE, isOver: () => deps.clock.now() >= ends };
  const outer = await withPolicies(deps, before, (set) =>
    withPolicies(deps, after, (other) => comparePolicies(set, other, bounds)),
  );
  const faults = outer.done ? outer.done.faults : outer.faults;
  const compared = outer.done?.done ?? { compared: 0, changed: 0, complete: false, groups: [] };
  return { ...names, ...compared, faults };
}

interface ExplainArgs {
  event_id?: string;
  decision_id?: string;
  facts?: string;
}

async function explain(
  deps: PolicyToolDeps,
  { event_id, decision_id, facts: given }: ExplainArgs,
  subnet_id: string | null,
) {
  if ([event_id, decision_id, given].filter((one) => one !== undefined).length !== 1)
    throw new OpError(
      'invalid_argument',
      { path: '/event_id' },
      'Give an event, a decision or facts, one of them.',
    );
  const recorded =
    given === undefined ? await findDecision(deps, { event_id, decision_id }, subnet_id) : null;
  const facts = given === undefined ? (recorded?.facts ?? null) : givenFacts(given);
  const current = deps.active.current();
  const now = facts && current ? told(current.set, current.decide, facts) : null;
  const differs = Boolean(
    now && recorded && (now.decision !== recorded.decision || now.rules.join() !== recorded.rules.join()),
  );
  return { recorded, now: now && { ...now, revision: deps.active.revision() }, differs };
}

/** A verdict with the facts its rules looked at. */
function told(set: PolicySet, decide: Decide, facts: PolicyFacts) {
  const got = outcomeOf(decide(facts));
  const looked_at = got.rules.map((rule_id) => ({
    rule_id,
    facts: factLines(set.rules.get(rule_id)?.reads ?? [], facts),
  }));
  return { ...got, looked_at };
}

function givenFacts(text: string): PolicyFacts {
  const facts = asFacts(jsonOf(text));
  if (!facts)
    throw new OpError(
      'invalid_argument',
      { path: '/facts' },
      'These are not all facts of a call: grant, tool, target (or null) and call, each with every member.',
    );
  return facts;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
