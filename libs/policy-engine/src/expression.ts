import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';

/** A fact that a condition reads: `target.environment`. Of a set it is told whether it holds the member asked for. */
export interface FactRead {
  readonly fact: string;
  readonly member?: { readonly literal: string } | { readonly fact: string };
}

/** What a policy looks at, found in its text once. */
export interface Reading {
  readonly reads: readonly FactRead[];
  /** Facts that are compared with a literal, and with which: the values worth trying when two versions are compared. */
  readonly literals: readonly { readonly fact: string; readonly value: string }[];
  /** Does it name one credential by its id? */
  readonly names_grant: boolean;
}

type Node = Record<string, unknown>;

const GRANT = 'Adaos::Grant';
/** Cedar's variables under the names of the facts (nouns/decision.ts). */
const ROOTS: Readonly<Record<string, string>> = { principal: 'grant', resource: 'tool', context: '' };

/** Reads a policy in Cedar's JSON form. */
export function readingOf(policy: PolicyJson): Reading {
  const reads = new Map<string, FactRead>();
  const literals = new Map<string, { fact: string; value: string }>();
  const add = (read: FactRead) => reads.set(JSON.stringify(read), read);
  const pair = (fact: string | null, value: string | null) => {
    if (fact !== null && value !== null) literals.set(`${fact} ${value}`, { fact, value });
  };

  function walk(node: unknown): void {
    if (Array.isArray(node)) return node.forEach(walk);
    if (!isNode(node)) return;
    const fact = factOf(node);
    if (fact !== null) {
      // `context.target` alone says only that there is one.
      if (fact.includes('.')) add({ fact });
      return;
    }
    const [operator, body] = Object.entries(node)[0] ?? [];
    if (operator === 'has') return;
    const { left, right } = isNode(body) ? body : {};
    if (operator === 'contains' && factOf(left) !== null) {
      const member = textOf(right) ?? null;
      const asked = factOf(right);
      if (member !== null) return void add({ fact: factOf(left)!, member: { literal: member } });
      if (asked !== null) return void add({ fact: factOf(left)!, member: { fact: asked } });
    }
    if (operator === '==' || operator === '!=') {
      pair(factOf(left), textOf(right));
      pair(factOf(right), textOf(left));
    }
    if (operator === 'contains') for (const item of setOf(left)) pair(factOf(right), textOf(item));
    if (operator === 'like' && isNode(body)) pair(factOf(left), likeSample(body['pattern']));
    walk(Object.values(node));
  }
  walk(policy.conditions);
  for (const read of scopeReads(policy)) add(read);
  return {
    reads: [...reads.values()],
    literals: [...literals.values()],
    names_grant: JSON.stringify([policy.principal, policy.conditions]).includes(`{"type":"${GRANT}","id":`),
  };
}

function scopeReads({ resource }: PolicyJson): FactRead[] {
  return resource.op === '==' || resource.op === 'in' ? [{ fact: 'tool.tool_id' }] : [];
}

/** `context.target.environment` → `target.environment`; null for anything but a path from a variable. */
function factOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (typeof node['Var'] === 'string') return ROOTS[node['Var']] ?? null;
  const access = node['.'];
  if (!isNode(access)) return null;
  const owner = factOf(access['left']);
  if (owner === null) return null;
  const attr = String(access['attr']);
  return owner === '' ? attr : `${owner}.${attr}`;
}

const textOf = (node: unknown): string | null =>
  isNode(node) && typeof node['Value'] === 'string' ? node['Value'] : null;

const setOf = (node: unknown): unknown[] =>
  isNode(node) && Array.isArray(node['Set']) ? (node['Set'] as unknown[]) : [];

/** A text that the pattern matches: wildcards stand for nothing. */
const likeSample = (pattern: unknown): string | null =>
  Array.isArray(pattern)
    ? pattern.map((part) => (isNode(part) ? String(part['Literal'] ?? '') : '')).join('')
    : null;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
