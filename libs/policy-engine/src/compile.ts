import { sha256 } from '@adaos/contracts';
import { cedar } from './cedar.js';
import { PolicyLoadError, wholeFault, type PolicyFault } from './fault.js';
import { partFault, splitPolicies, type PolicyFile, type PolicyPart } from './policy-text.js';
import { ruleOf, type Origin, type Rule } from './rule.js';
import { takeSlot } from './slots.js';

/** All that a decision is made by. */
export interface PolicySources {
  readonly schema: string;
  /** Shipped with the build; what they forbid, no zone can allow. */
  readonly guards: readonly PolicyFile[];
  /** The zone's own, from files and from its active version. */
  readonly zone: readonly PolicyFile[];
}

/** Policies parsed and validated once; `revision` changes when any byte of them does. */
export interface PolicySet {
  readonly slot: string;
  /** The guards alone, for the calls a zone's policies have no say in. */
  readonly guard_slot: string;
  readonly revision: string;
  readonly guards_revision: string;
  readonly rules: ReadonlyMap<string, Rule>;
  /** Gives the engine's memory back; the set must not decide after it. */
  release(): void;
}

/** Each rule costs time at every decision that is not remembered. */
const MAX_RULES = 500;
const MAX_CHARS = 512 * 1024;

/** Parses, validates and prepares a set. Throws PolicyLoadError with every fault by file and line. */
export function compilePolicySet({ schema, guards, zone }: PolicySources): PolicySet {
  if (guards.length === 0) throw wholeFault('guard', 'there are no guard policies');
  const chars = [...guards, ...zone].reduce((sum, { text }) => sum + text.length, 0);
  if (chars > MAX_CHARS)
    throw wholeFault('policies', `${chars} characters are over the ${MAX_CHARS} allowed`);
  const found = [...rulesOf(guards, 'guard'), ...rulesOf(zone, 'zone')];
  const faults: PolicyFault[] = found.flatMap((one) => one.faults);
  const rules = new Map<string, Rule>();
  const parts = new Map<string, PolicyPart>();
  for (const { rule, part } of found) {
    if (!rule || !part) continue;
    const first = rules.get(rule.rule_id);
    if (first) {
      const message = `rule ${rule.rule_id} stands twice, first in ${first.file}:${first.line}`;
      faults.push({ file: part.file, line: part.line, rule_id: rule.rule_id, message });
      continue;
    }
    rules.set(rule.rule_id, rule);
    parts.set(rule.rule_id, part);
  }
  if (rules.size > MAX_RULES)
    throw wholeFault('policies', `${rules.size} rules are over the ${MAX_RULES} allowed`);
  faults.push(...schemaFaults(schema, parts));
  if (faults.length) throw new PolicyLoadError(faults);
  const ofGuards = [...parts].filter(([rule_id]) => rules.get(rule_id)?.origin === 'guard');
  const full = prepare(schema, [...parts]);
  const guard = prepare(schema, ofGuards);
  const texts = (files: readonly PolicyFile[]) => files.map(({ text }) => text);
  let released = false;
  // A name is used again once it is given back: whoever still decided by it would decide by another set's policies.
  const name = (slot: { name: string }) => {
    if (released) throw new Error('this policy set was released');
    return slot.name;
  };
  return {
    get slot() {
      return name(full);
    },
    get guard_slot() {
      return name(guard);
    },
    revision: digest([schema, ...texts(guards), '', ...texts(zone)]),
    guards_revision: digest([schema, ...texts(guards)]),
    rules,
    release() {
      released = true;
      full.release();
      guard.release();
    },
  };
}

const digest = (texts: readonly string[]) => sha256(JSON.stringify(texts)).slice(0, 12);

function rulesOf(
  files: readonly PolicyFile[],
  origin: Origin,
): { rule?: Rule; part?: PolicyPart; faults: PolicyFault[] }[] {
  return files.flatMap((file) => {
    const { parts, faults } = splitPolicies(file);
    return [{ faults }, ...parts.map((part) => ({ ...ruleOf(part, origin), part }))];
  });
}

/** What Cedar's strict validator has against the policies. A rule that can never apply is a mistake too: it would protect nothing. */
function schemaFaults(schema: string, parts: ReadonlyMap<string, PolicyPart>): PolicyFault[] {
  const staticPolicies = Object.fromEntries([...parts].map(([rule_id, { text }]) => [rule_id, text]));
  const check = cedar.validate({
    validationSettings: { mode: 'strict' },
    schema,
    policies: { staticPolicies },
  });
  if (check.type === 'failure')
    throw wholeFault('schema.cedarschema', check.errors.map(({ message }) => message).join('; '));
  return [...check.validationErrors, ...check.validationWarnings].map(({ policyId, error }) =>
    partFault(parts.get(policyId)!, policyId, error),
  );
}

function prepare(schema: string, parts: readonly (readonly [string, PolicyPart])[]) {
  const slot = takeSlot();
  const staticPolicies = Object.fromEntries(parts.map(([rule_id, { text }]) => [rule_id, text]));
  for (const answer of [
    cedar.preparsePolicySet(slot.name, { staticPolicies }),
    cedar.preparseSchema(slot.name, schema),
  ]) {
    if (answer.type === 'failure')
      throw wholeFault('policies', answer.errors.map((e) => e.message).join('; '));
  }
  return slot;
}
