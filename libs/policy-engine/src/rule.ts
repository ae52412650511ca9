import { ERRORS, NO_OBLIGATIONS, type ErrorCode, type Obligations } from '@adaos/contracts';
import { cedar } from './cedar.js';
import { readingOf, type Reading } from './expression.js';
import type { PolicyFault } from './fault.js';
import { parseObligations } from './obligations.js';
import type { PolicyPart } from './policy-text.js';

export type Origin = 'guard' | 'zone';

/** One policy with what its annotations say of it. */
export interface Rule extends Reading {
  readonly rule_id: string;
  readonly origin: Origin;
  readonly effect: 'permit' | 'forbid';
  readonly file: string;
  readonly line: number;
  readonly code: ErrorCode;
  /** Of several rules that forbid, the lowest rank speaks. */
  readonly rank: number;
  readonly explain: string;
  /** What would be needed instead, with placeholders of NEEDS; empty when `explain` says it. */
  readonly needs: string;
  readonly obligations: Obligations;
}

/** Ranks below are the guards'. They speak first, or a rule of the zone could tell a stranger about a target that is not its own. */
const FIRST_ZONE_RANK = 100;
const LAST_RANK = 999;
/** Codes a zone may answer with: the others have a meaning to clients (sign in again, retry) that a policy must not fake. */
export const ZONE_CODES = ['forbidden', 'environment_forbidden', 'approval_required'] as const;
/** Facts of the call's own tool and nothing else: what a caller reads must not tell it about the target or other tenants. */
export const NEEDS = ['tool', 'capability', 'environments', 'who'] as const;
const MAX_TEXT = 200;
const KNOWN = ['id', 'code', 'rank', 'explain', 'needs', 'obligation'];

/** The rule of a policy, or every reason why it is none. */
export function ruleOf(part: PolicyPart, origin: Origin): { rule?: Rule; faults: PolicyFault[] } {
  const answer = cedar.policyToJson(part.text);
  const fault = (message: string, rule_id: string | null = null): PolicyFault => ({
    file: part.file,
    line: part.line,
    rule_id,
    message,
  });
  if (answer.type === 'failure') return { faults: answer.errors.map(({ message }) => fault(message)) };
  const { effect, annotations = {} } = answer.json;
  const rule_id = annotations['id'];
  if (!rule_id) return { faults: [fault('a policy has no @id')] };
  const reading = readingOf(answer.json);
  const obligations =
    annotations['obligation'] === undefined ? NO_OBLIGATIONS : parseObligations(annotations['obligation']);
  const problems = [
    ...Object.keys(annotations)
      .filter((name) => !KNOWN.includes(name))
      .map((name) => `has the unknown annotation @${name}`),
    ...(effect === 'forbid' ? forbidProblems(annotations, origin) : permitProblems(annotations, origin)),
    ...textProblems(annotations),
    ...(origin === 'zone' && !/^zone\.[a-z0-9_.-]{1,80}$/.test(rule_id)
      ? ['must have an @id that starts with "zone.", in small letters']
      : []),
    ...(annotations['code'] === 'approval_required' &&
    !reading.reads.some(({ fact }) => fact === 'call.approved')
      ? ['asks for approval and never looks at context.call.approved: no approval could let a call through']
      : []),
    ...(reading.names_grant ? ['names one credential; end that credential instead'] : []),
    ...('fault' in obligations ? [obligations.fault] : []),
  ];
  if (problems.length || 'fault' in obligations)
    return { faults: problems.map((problem) => fault(`rule ${rule_id} ${problem}`, rule_id)) };
  return {
    faults: [],
    rule: {
      ...reading,
      rule_id,
      origin,
      effect,
      file: part.file,
      line: part.line,
      code: (annotations['code'] ?? 'forbidden') as ErrorCode,
      rank: Number(annotations['rank'] ?? 0),
      explain: annotations['explain'] ?? '',
      needs: annotations['needs'] ?? '',
      obligations,
    },
  };
}

type Annotations = Readonly<Record<string, string>>;

function forbidProblems(annotations: Annotations, origin: Origin): string[] {
  const { code, rank = '', explain } = annotations;
  if (!code || !explain || !/^\d{1,3}$/.test(rank)) return ['needs @code, @rank and @explain'];
  const from = origin === 'zone' ? FIRST_ZONE_RANK : 0;
  const to = origin === 'zone' ? LAST_RANK : FIRST_ZONE_RANK - 1;
  return [
    ...codeProblems(code, origin),
    ...(Number(rank) >= from && Number(rank) <= to ? [] : [`must have a rank from ${from} to ${to}`]),
    ...(annotations['obligation'] === undefined ? [] : ['forbids, so nothing is left to oblige']),
  ];
}

function codeProblems(code: string, origin: Origin): string[] {
  if (!Object.hasOwn(ERRORS, code)) return [`names the unknown code ${code}`];
  if (origin === 'guard' || (ZONE_CODES as readonly string[]).includes(code)) return [];
  return [`may answer ${ZONE_CODES.join(', ')}, not ${code}`];
}

/** A zone's permit grants nothing (decide.ts): without an obligation it is a mistake, most likely a hope to widen. */
const permitProblems = (annotations: Annotations, origin: Origin): string[] =>
  origin === 'zone' && annotations['obligation'] === undefined
    ? [
        'permits, which gives nobody more than the guards do; a permit of the zone carries an @obligation, or goes',
      ]
    : [];

function textProblems(annotations: Annotations): string[] {
  const long = ['explain', 'needs'].filter((name) => (annotations[name]?.length ?? 0) > MAX_TEXT);
  const odd = [...(annotations['needs'] ?? '').matchAll(/\{([^}]*)\}/g)]
    .map((match) => match[1]!)
    .filter((name) => !(NEEDS as readonly string[]).includes(name));
  return [
    ...long.map((name) => `has an @${name} of over ${MAX_TEXT} characters`),
    ...odd.map((name) => `names {${name}} in @needs, which knows {${NEEDS.join('}, {')}}`),
  ];
}
