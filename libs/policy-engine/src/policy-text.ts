import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs';
import { cedar } from './cedar.js';
import type { PolicyFault } from './fault.js';

/** A text of policies under the name it is known by: a file's, or a version's id. */
export interface PolicyFile {
  readonly name: string;
  readonly text: string;
}

/** One policy of a text as it was written, and where it begins. */
export interface PolicyPart {
  readonly file: string;
  readonly text: string;
  /** Line of its first character, from 1. */
  readonly line: number;
}

/** Splits a text into its policies, or tells every place where it does not parse. */
export function splitPolicies({ name, text }: PolicyFile): { parts: PolicyPart[]; faults: PolicyFault[] } {
  const answer = cedar.policySetTextToParts(text);
  if (answer.type === 'failure')
    return { parts: [], faults: answer.errors.flatMap((error) => parseFaults(name, text, error)) };
  const faults: PolicyFault[] = answer.policy_templates.map((template) => ({
    file: name,
    line: lineAt(text, Math.max(0, text.indexOf(template))),
    rule_id: null,
    message: 'a template (?principal, ?resource) has nobody who links it',
  }));
  let from = 0;
  const parts = answer.policies.map((part) => {
    const at = Math.max(from, text.indexOf(part, from));
    from = at + part.length;
    return { file: name, text: part, line: lineAt(text, at) };
  });
  return { parts, faults };
}

const parseFaults = (file: string, text: string, error: DetailedError): PolicyFault[] => [
  {
    file,
    line: lineOf(text, error) ?? 0,
    rule_id: null,
    message: [error.message, error.sourceLocations?.[0]?.label].filter(Boolean).join(': '),
  },
  ...(error.related ?? []).flatMap((one) => parseFaults(file, text, one)),
];

/** A fault that the validator found in one policy, by the line of the whole text. */
export const partFault = (part: PolicyPart, rule_id: string | null, error: DetailedError): PolicyFault => ({
  file: part.file,
  line: part.line + (lineOf(part.text, error) ?? 1) - 1,
  rule_id,
  message: [error.message, error.help].filter(Boolean).join(': '),
});

function lineOf(text: string, { sourceLocations }: DetailedError): number | null {
  const start = sourceLocations?.[0]?.start;
  // The engine counts bytes of UTF-8, a string counts UTF-16.
  return start === undefined
    ? null
    : lineAt(text, Buffer.from(text).subarray(0, start).toString('utf8').length);
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length;
