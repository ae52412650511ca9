import { matcher, OpError, PolicyFacts, ROLES, toErrorBody, validator } from '@adaos/contracts';
import { Type, type Static } from 'typebox';
import type { Decide, Verdict } from './decide.js';
import { obligationsText } from './obligations.js';
import { sampleFacts } from './sample-facts.js';

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Some = Type.Record(Type.String(), Type.Unknown());

/**
 * One line of a case table: what differs from a call that nothing stands against (sample-facts.ts), and what is to come of it. Only what is
 * named under `expect` is compared.
 */
export const PolicyCase = Type.Object(
  {
    name: Name,
    tool: Name,
    profile: Type.Optional(Type.String({ maxLength: 64 })),
    role: Type.Optional(Type.String({ enum: [...ROLES] })),
    grant: Type.Optional(Some),
    target: Type.Optional(Some),
    call: Type.Optional(Some),
    /** Facts of the tool's contract that this case has otherwise. */
    tool_facts: Type.Optional(Some),
    approval: Type.Optional(Type.String({ enum: ['none', 'required'] })),
    no_target: Type.Optional(Type.Boolean()),
    expect: Type.Object(
      {
        decision: Type.String({ enum: ['allow', 'deny', 'require_approval'] }),
        code: Type.Optional(Type.String({ maxLength: 64 })),
        rules: Type.Optional(Type.Array(Type.String({ maxLength: 120 }), { maxItems: 20 })),
        obligations: Type.Optional(Type.String({ maxLength: 300 })),
        explanation: Type.Optional(Type.String({ maxLength: 500 })),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type PolicyCase = Static<typeof PolicyCase>;

export const MAX_CASES = 500;

export interface CaseResult {
  readonly name: string;
  readonly ok: boolean;
  /** What came of it; null when the case itself is broken, and `fault` says how. */
  readonly got: CaseOutcome | null;
  /** Members of `expect` that differ: `code: expected forbidden, got -`. */
  readonly differs: readonly string[];
  readonly fault: string | null;
}

export interface CaseOutcome {
  readonly decision: string;
  readonly code: string | null;
  readonly rules: readonly string[];
  readonly obligations: string;
  readonly explanation: string;
  readonly operator_explanation: string;
}

const checkTable = validator<PolicyCase[]>(Type.Array(PolicyCase, { minItems: 1, maxItems: MAX_CASES }));
const isFacts = matcher(PolicyFacts);

/** A parsed YAML or JSON document as a case table. Throws OpError(invalid_argument) with the place of the fault. */
export const caseTable = (value: unknown): PolicyCase[] => checkTable(value, '/cases');

/** A value as facts, or null. */
export const asFacts = (value: unknown): PolicyFacts | null =>
  isFacts(value) ? (value as PolicyFacts) : null;

/**
 * The facts of a case. Throws OpError for an unknown tool, profile or fact. Values are not checked: what the engine makes of one that no
 * fact should have (a state nobody knows) is worth a case.
 */
export function caseFacts(one: PolicyCase): PolicyFacts {
  if (one.profile !== undefined && one.role !== undefined)
    throw new OpError('invalid_argument', undefined, 'A case names a profile or a role, not both.');
  const who =
    one.role !== undefined
      ? { role: one.role as (typeof ROLES)[number] }
      : one.profile !== undefined
        ? { profile: one.profile }
        : undefined;
  const base = sampleFacts(one.tool, who);
  const sample_target = base.target ?? sampleFacts('hub.get_status').target;
  return {
    grant: over('grant', base.grant, one.grant),
    tool: over('tool', base.tool, { ...one.tool_facts, ...(one.approval && { approval: one.approval }) }),
    target:
      one.no_target || (!base.target && !one.target) ? null : over('target', sample_target!, one.target),
    call: over('call', base.call, one.call),
  };
}

/** A misspelt fact would leave the case testing something else. */
function over<T extends object>(of: string, base: T, changes: Record<string, unknown> | undefined): T {
  const odd = Object.keys(changes ?? {}).find((name) => !Object.hasOwn(base, name));
  if (odd !== undefined) throw new OpError('invalid_argument', undefined, `There is no fact ${of}.${odd}.`);
  return { ...base, ...changes };
}

/** Runs a table; every case has its result, a broken one too. */
export const runCases = (decide: Decide, cases: readonly PolicyCase[]): CaseResult[] =>
  cases.map((one) => {
    try {
      const got = outcomeOf(decide(caseFacts(one)));
      const differs = differences(one.expect, got);
      return { name: one.name, ok: differs.length === 0, got, differs, fault: null };
    } catch (error) {
      return { name: one.name, ok: false, got: null, differs: [], fault: toErrorBody(error).message };
    }
  });

export const outcomeOf = (verdict: Verdict): CaseOutcome => ({
  decision: verdict.decision,
  code: verdict.code,
  rules: verdict.determining_rules,
  obligations: obligationsText(verdict.obligations),
  explanation: verdict.explanation,
  operator_explanation: verdict.operator_explanation,
});

const differences = (expect: PolicyCase['expect'], got: CaseOutcome): string[] =>
  Object.entries(expect).flatMap(([member, wanted]) => {
    const value = got[member as keyof CaseOutcome];
    return JSON.stringify(value) === JSON.stringify(wanted)
      ? []
      : [`${member}: expected ${said(wanted)}, got ${said(value)}`];
  });

const said = (value: unknown) =>
  Array.isArray(value) ? value.join(', ') || 'none' : value === null || value === '' ? 'none' : String(value);
