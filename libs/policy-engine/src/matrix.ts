import {
  ENVIRONMENTS,
  PROFILES,
  ROLES,
  SKILL_STATES,
  TOOL_CONTRACTS,
  type PolicyFacts,
  type ToolContract,
} from '@adaos/contracts';
import type { PolicySet } from './compile.js';
import { sampleFacts, type Who } from './sample-facts.js';

/** One call of the comparison: who, which tool, in which circumstances. */
export interface Cell {
  /** `profile:InfraOpsRead` or `role:admin`. */
  readonly who: string;
  readonly tool_id: string;
  readonly side_effect_class: string;
  readonly environment: string | null;
  readonly skill_state: string | null;
  readonly dry_run: boolean;
  /** A literal of a policy put in the place of the sample's: `target.target_id=hub:lab-7`. */
  readonly variant: string | null;
  readonly facts: PolicyFacts;
}

/** Literals tried at most; each of them multiplies the matrix. */
const MAX_VARIANTS = 12;
/** Facts whose literals make a case of their own; the matrix has the others as dimensions, or they are the guards' business. */
const VARIED = [
  'target.target_id',
  'target.subnet_id',
  'target.status',
  'target.write_scope',
  'call.service',
  'grant.auth_method',
  'grant.target_id',
  'grant.subnet_id',
] as const;

interface Variant {
  readonly fact: (typeof VARIED)[number];
  readonly value: string;
}

/** Every profile and role × tool × environment × skill state × dry run, and again for each literal that the zone's policies compare with. */
export function* matrix(sets: readonly PolicySet[]): Generator<Cell> {
  const variants: (Variant | null)[] = [null, ...variantsOf(sets)];
  // The sample target first: where the time for a comparison ends, the literals are what is left out.
  for (const variant of variants)
    for (const who of everyone())
      for (const contract of TOOL_CONTRACTS) yield* cellsOf(who, contract, variant);
}

const everyone = (): Who[] => [
  ...Object.keys(PROFILES).map((profile) => ({ profile })),
  ...ROLES.map((role) => ({ role })),
];

const nameOf = (who: Who) => ('role' in who ? `role:${who.role}` : `profile:${who.profile}`);

function* cellsOf(who: Who, contract: ToolContract, variant: Variant | null): Generator<Cell> {
  const base = sampleFacts(contract.tool_id, who);
  const { side_effect_class, tool_id } = contract;
  const cell = {
    who: nameOf(who),
    tool_id,
    side_effect_class,
    variant: variant && `${variant.fact}=${variant.value}`,
  };
  const dry_runs = contract.dry_run === 'supported' ? [false, true] : [false];
  for (const dry_run of dry_runs) {
    const call = { ...base.call, dry_run };
    if (!base.target) {
      const facts = varied({ ...base, call }, variant);
      if (facts) yield { ...cell, environment: null, skill_state: null, dry_run, facts };
      continue;
    }
    // Root answers its own tools whatever the hub's skill is doing.
    const skill_states = contract.served_by === 'hub' ? SKILL_STATES : (['enabled'] as const);
    for (const environment of ENVIRONMENTS)
      for (const skill_state of skill_states) {
        const published = skill_state === 'enabled' ? [contract.required_capability] : [];
        const target = { ...base.target, environment, skill_state, published };
        const facts = varied({ ...base, call, target }, variant);
        if (facts) yield { ...cell, environment, skill_state, dry_run, facts };
      }
  }
}

/** The facts with a literal in its place; null where it has none. The lease moves with its target, or tenancy would answer. */
function varied(facts: PolicyFacts, variant: Variant | null): PolicyFacts | null {
  if (!variant) return facts;
  const { value } = variant;
  const [of, name] = variant.fact.split('.') as ['target' | 'call' | 'grant', string];
  const moves = name === 'target_id' || name === 'subnet_id';
  const { target, grant, call } = facts;
  if (of === 'call') {
    if (!target || call.service === '') return null;
    const allowed_services = [...target.allowed_services, value];
    return { ...facts, call: { ...call, service: value }, target: { ...target, allowed_services } };
  }
  if (of === 'target' && !target) return null;
  const own = grant.role === '' ? { ...grant, [name]: value } : grant;
  return {
    ...facts,
    grant: moves || of === 'grant' ? own : grant,
    target: target && (moves || of === 'target') ? ({ ...target, [name]: value } as typeof target) : target,
  };
}

function variantsOf(sets: readonly PolicySet[]): Variant[] {
  const found = new Map<string, Variant>();
  for (const set of sets)
    for (const rule of set.rules.values()) {
      if (rule.origin === 'guard') continue;
      for (const { fact, value } of rule.literals) {
        const known = VARIED.find((one) => one === fact);
        // A value that no fact can have would only be refused by the engine.
        if (known && value !== '' && value.length <= 64)
          found.set(`${fact} ${value}`, { fact: known, value });
      }
    }
  return [...found.values()].slice(0, MAX_VARIANTS);
}
