import { classOf, type Redaction } from '@adaos/contracts';
import { marker, Tally } from './mask.js';
import { maskValue } from './redact-value.js';
import { RULES } from './rules.js';

const RULE = 'field_class';

interface Node {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly required?: readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly 'x-class'?: string;
}

/**
 * Shows of a value what its schema classifies as public; sensitive, secret and unclassified fields and fields the schema doesn't know
 * become a marker (conventions 3). Public text is still searched for secrets. An object or array without a class is judged field by field.
 */
export function redact(schema: object, value: unknown): { value: unknown; redactions: Redaction[] } {
  const tally = new Tally();
  return { value: show(schema as Node, value, tally), redactions: tally.list() };
}

function show(schema: Node | undefined, value: unknown, tally: Tally): unknown {
  if (value === null || value === undefined) return value ?? null;
  const hide = () => {
    tally.add(RULE);
    return marker(RULE);
  };
  if (!schema || (schema['x-class'] && classOf(schema) !== 'public')) return hide();
  if (schema.anyOf)
    return show(
      schema.anyOf.find((branch) => suits(branch, value)),
      value,
      tally,
    );
  if (Array.isArray(value) && schema.items) return value.map((item) => show(schema.items, item, tally));
  if (typeof value === 'object' && schema.properties) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, show(own(schema.properties!, key), item, tally)]),
    );
  }
  // A leaf, or free JSON (a record without named properties): only an explicit class shows it.
  return classOf(schema) === 'public' ? maskValue(value, RULES, tally) : hide();
}

const own = (properties: Readonly<Record<string, Node>>, key: string) =>
  Object.hasOwn(properties, key) ? properties[key] : undefined;

/** Whether a branch of a union is the one the value was written by: by kind, constant and required names. */
function suits(branch: Node, value: unknown): boolean {
  if (branch.const !== undefined) return branch.const === value;
  if (branch.enum) return branch.enum.includes(value);
  if (Array.isArray(value)) return branch.type === 'array';
  if (typeof value === 'number')
    return branch.type === 'number' || (branch.type === 'integer' && Number.isInteger(value));
  if (typeof value !== 'object') return branch.type === typeof value;
  const record = value as Record<string, unknown>;
  return (
    branch.type === 'object' &&
    (branch.required ?? []).every((key) => Object.hasOwn(record, key)) &&
    Object.entries(branch.properties ?? {}).every(
      ([key, node]) => node.const === undefined || !Object.hasOwn(record, key) || node.const === record[key],
    )
  );
}
