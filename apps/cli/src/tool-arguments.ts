import { OpError, parseStrictJson, type ToolContract } from '@adaos/contracts';
import { usage } from './failure.js';

export type InputSchema = ToolContract['input_schema'];

interface PropertySchema {
  readonly type?: string;
  readonly items?: { readonly type?: string };
}

export interface ArgumentSources {
  /** `k=v` as typed. */
  readonly pairs: readonly string[];
  /** Text of --json-args. */
  readonly json?: string;
  readonly target_id?: string;
}

/**
 * Arguments of a call: those of --json-args, each --arg in the type the tool's input schema gives it, and the target. Whatever is named
 * twice, unknown to the schema or not of its type is a usage failure. `schemaOf` is asked only when there is something to type.
 */
export async function toolArguments(
  sources: ArgumentSources,
  schemaOf: (names: readonly string[]) => Promise<InputSchema>,
): Promise<Record<string, unknown>> {
  const args = new Map(
    sources.json === undefined ? [] : Object.entries(parseObject(sources.json, '--json-args')),
  );
  const add = (name: string, value: unknown) => {
    if (args.has(name)) throw usage(`The argument ${name} was given twice.`);
    args.set(name, value);
  };
  if (sources.target_id !== undefined) add('target_id', sources.target_id);
  if (sources.pairs.length) {
    const pairs = sources.pairs.map(splitPair);
    const properties = propertiesOf(await schemaOf(pairs.map(([name]) => name)));
    for (const [name, text] of pairs) add(name, typedValue(name, text, propertyOf(properties, name)));
  }
  return Object.fromEntries(args);
}

export const propertiesOf = (schema: InputSchema): Readonly<Record<string, PropertySchema>> =>
  (schema['properties'] ?? {}) as Record<string, PropertySchema>;

function splitPair(pair: string): [name: string, text: string] {
  const at = pair.indexOf('=');
  if (at < 1) throw usage(`${JSON.stringify(pair)} is no argument; write --arg name=value.`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

function propertyOf(properties: Readonly<Record<string, PropertySchema>>, name: string): PropertySchema {
  if (Object.hasOwn(properties, name)) return properties[name]!;
  const names = Object.keys(properties);
  throw usage(`The tool has no argument ${name}; it takes ${names.length ? names.join(', ') : 'none'}.`);
}

/** Text as a value of the schema's type. The zone still judges it; nothing is guessed. */
function typedValue(name: string, text: string, { type, items }: PropertySchema): unknown {
  switch (type) {
    case 'integer':
    case 'number': {
      const value = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : NaN;
      const fits = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
      if (!fits) throw usage(`The argument ${name} must be a ${type === 'integer' ? 'whole ' : ''}number.`);
      return value;
    }
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw usage(`The argument ${name} must be true or false.`);
      return text === 'true';
    case 'array':
      return text === '' ? [] : text.split(',').map((item) => typedValue(name, item, { type: items?.type }));
    case 'object':
      return parseObject(text, `The argument ${name}`);
    default:
      return text;
  }
}

function parseObject(text: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseStrictJson(Buffer.from(text));
  } catch (error) {
    throw usage(`${name}: ${error instanceof OpError ? error.message : 'not valid JSON.'}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage(`${name} must be a JSON object.`);
  return value as Record<string, unknown>;
}
