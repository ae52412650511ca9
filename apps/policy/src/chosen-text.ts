import { OpError } from '@adaos/contracts';
import {
  createDecider,
  PolicyLoadError,
  type Decide,
  type PolicyFault,
  type PolicySet,
} from '@adaos/policy-engine';
import type { PolicyToolDeps } from './deps.js';

/** Which policies are meant: what is in force, a version by its id, none of the zone's, or a text that is only proposed. */
export type Choice = { readonly text: string } | { readonly version_id: string } | 'none' | 'in_force';

/** How a choice is called in an answer. */
export const choiceName = (choice: Choice): string =>
  typeof choice === 'string' ? choice : 'text' in choice ? 'proposed' : choice.version_id;

export const choiceOf = (args: { text?: string; version_id?: string }): Choice => {
  if (args.text !== undefined && args.version_id !== undefined)
    throw new OpError('invalid_argument', { path: '/text' }, 'Give a text or a version, not both.');
  if (args.text !== undefined) return { text: args.text };
  return args.version_id === undefined ? 'in_force' : namedVersion(args.version_id);
};

export const namedVersion = (name: string): Choice =>
  name === 'none' || name === 'in_force' ? name : { version_id: name };

/**
 * Compiles a choice and gives it to `work`; what it takes of memory is given back after. A proposed text with faults is answered, not thrown:
 * telling them is what the tools are for. Throws OpError: target_not_found for an unknown version.
 */
export async function withPolicies<T>(
  { active, rows }: PolicyToolDeps,
  choice: Choice,
  work: (set: PolicySet, decide: Decide) => T | Promise<T>,
): Promise<{ done: T; faults: [] } | { done: null; faults: readonly PolicyFault[] }> {
  const text = await textOf({ active, rows }, choice);
  let set: PolicySet;
  try {
    set = active.compileText(text, choiceName(choice));
  } catch (error) {
    if (!(error instanceof PolicyLoadError)) throw error;
    return { done: null, faults: error.faults };
  }
  try {
    return { done: await work(set, createDecider(set, { memo_size: 2_000 })), faults: [] };
  } finally {
    set.release();
  }
}

async function textOf(
  { active, rows }: Pick<PolicyToolDeps, 'active' | 'rows'>,
  choice: Choice,
): Promise<string> {
  if (choice === 'none') return '';
  if (choice === 'in_force') {
    const current = active.current();
    if (!current) throw new OpError('dependency_unavailable', { dependency: 'policies' });
    return current.version?.text ?? '';
  }
  if ('text' in choice) return choice.text;
  const row = await rows.get(choice.version_id);
  if (!row) throw noVersion();
  return row.text;
}

export const noVersion = () => new OpError('target_not_found', undefined, 'No such version of the policies.');
