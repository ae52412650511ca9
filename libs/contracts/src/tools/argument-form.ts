import type { ToolContract } from '../nouns/tool-contract.js';

/** A form of flat fields, as MCP elicitation takes them. */
export interface ArgumentForm {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Record<string, unknown>>>;
  readonly required: readonly string[];
}

/** What of a field's schema an elicitation form may carry; a `pattern` goes into no form and is checked on the call. */
const KEPT = {
  string: ['type', 'title', 'description', 'minLength', 'maxLength', 'format', 'enum', 'default'],
  number: ['type', 'title', 'description', 'minimum', 'maximum', 'default'],
  integer: ['type', 'title', 'description', 'minimum', 'maximum', 'default'],
  boolean: ['type', 'title', 'description', 'default'],
} as const satisfies Record<string, readonly string[]>;
const FORMATS = ['email', 'uri', 'date', 'date-time'];

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/**
 * The form that asks for the required arguments which are missing, made of the tool's own schema; null when none is missing, or one of
 * them is no flat field. `also` names an argument that is optional in the schema and yet needed, such as the target of an operator's call.
 */
export function argumentForm(
  { input_schema }: Pick<ToolContract, 'input_schema'>,
  args: Readonly<Record<string, unknown>>,
  also: readonly string[] = [],
): ArgumentForm | null {
  const known = (input_schema['properties'] ?? {}) as Properties;
  const required = (input_schema['required'] ?? []) as readonly string[];
  const missing = [...new Set([...required, ...also])].filter((name) => !Object.hasOwn(args, name));
  const fields: [string, Record<string, unknown>][] = [];
  for (const name of missing) {
    const field = Object.hasOwn(known, name) ? flat(known[name] ?? {}) : null;
    if (field === null) return null;
    fields.push([name, field]);
  }
  if (fields.length === 0) return null;
  return { type: 'object', properties: Object.fromEntries(fields), required: missing };
}

function flat(schema: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  const { type, format } = schema;
  if (typeof type !== 'string' || !Object.hasOwn(KEPT, type)) return null;
  const kept = KEPT[type as keyof typeof KEPT].filter(
    (key) => schema[key] !== undefined && (key !== 'format' || FORMATS.includes(String(format))),
  );
  return Object.fromEntries(kept.map((key) => [key, schema[key]]));
}
