import { environmentsOf, findTool, neededFor, whoMay, type PolicyFacts } from '@adaos/contracts';
import type { FactRead } from './expression.js';
import { obligationsText } from './obligations.js';
import type { Rule } from './rule.js';

const MAX_FACTS = 12;
const MAX_VALUE = 120;
/** Of a longer set the record keeps the size: what was asked of it stands beside. */
const MAX_LISTED = 6;
/** As the decision's schema has it. */
const MAX_OPERATOR = 1_000;
const MAX_CALLER = 500;

/** What a caller reads of a refusal: the rule's own sentence, and what would be needed. Both are made of the rule and the tool's contract. */
export function callerText({ explain, needs }: Pick<Rule, 'explain' | 'needs'>, facts: PolicyFacts): string {
  if (!needs) return explain.slice(0, MAX_CALLER);
  return `${explain} Needs ${fill(needs, facts)}.`.slice(0, MAX_CALLER);
}

/** Nothing allowed it: the credential lacks the capability, or the tool is not on its list. */
export function defaultDenyText(facts: PolicyFacts): string {
  const contract = findTool(facts.tool.tool_id)?.contract;
  const said = 'The credential lacks the capability this tool needs.';
  return contract ? `${said} Needs ${neededFor(contract)}.` : said;
}

function fill(needs: string, { tool }: PolicyFacts): string {
  const contract = findTool(tool.tool_id)?.contract;
  const values: Record<string, string> = {
    tool: tool.tool_id,
    capability: tool.required_capability,
    environments: environmentsOf(tool.allowed_environments),
    who: contract ? whoMay(contract) : 'another credential',
  };
  return needs.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** What an operator reads in the event: rule, place, and the facts it looked at with their values. */
export function operatorText(rules: readonly Rule[], speaking: Rule | null, facts: PolicyFacts): string {
  if (!speaking) {
    const permits = rules.filter(({ origin, effect }) => origin === 'guard' && effect === 'permit');
    return clip(
      `No policy allowed it: ${permits.map((rule) => ruleText(rule, facts)).join('; ')}`,
      MAX_OPERATOR,
    );
  }
  const others = rules.filter((rule) => rule !== speaking).map(({ rule_id }) => rule_id);
  const also = others.length ? ` Also forbidden by ${others.join(', ')}.` : '';
  return clip(`${ruleText(speaking, facts)}.${also}`, MAX_OPERATOR);
}

/** Of an allow there is something to tell only if it is tied to something. */
export function allowText(rules: readonly Rule[]): string {
  const tied = rules
    .map(({ rule_id, file, line, obligations }) => ({
      rule_id,
      place: `${file}:${line}`,
      text: obligationsText(obligations),
    }))
    .filter(({ text }) => text);
  return clip(
    tied.map(({ rule_id, place, text }) => `${rule_id} (${place}) asks ${text}`).join('; '),
    MAX_OPERATOR,
  );
}

const ruleText = (rule: Rule, facts: PolicyFacts) =>
  `${rule.rule_id} (${rule.file}:${rule.line}): ${factLines(rule.reads, facts).join(', ') || 'it reads no fact'}`;

/** The facts a rule looked at, with their values now: `target.environment is "production"`. */
export function factLines(reads: readonly FactRead[], facts: PolicyFacts): string[] {
  const lines = reads.map((read) => factLine(read, facts));
  const shown = [...new Set(lines)];
  return shown.length > MAX_FACTS
    ? [...shown.slice(0, MAX_FACTS), `and ${shown.length - MAX_FACTS} more`]
    : shown;
}

function factLine({ fact, member }: FactRead, facts: PolicyFacts): string {
  const value = valueOf(fact, facts);
  if (value === undefined) return fact.startsWith('target.') ? 'there is no target' : `${fact} is not known`;
  if (!member || !Array.isArray(value)) return `${fact} is ${shown(value)}`;
  const asked = 'literal' in member ? member.literal : valueOf(member.fact, facts);
  const name = 'literal' in member ? shown(asked) : `${member.fact} ${shown(asked)}`;
  return `${fact} ${value.includes(asked) ? 'has' : 'lacks'} ${name}`;
}

function valueOf(fact: string, facts: PolicyFacts): unknown {
  let at: unknown = facts;
  for (const key of fact.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

const shown = (value: unknown): string =>
  Array.isArray(value) && value.length > MAX_LISTED
    ? `a set of ${value.length}`
    : clip(JSON.stringify(value) ?? 'not known', MAX_VALUE);

const clip = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1)}…` : text);
