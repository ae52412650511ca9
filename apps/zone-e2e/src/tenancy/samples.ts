import { validator } from '@adaos/contracts';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Values that mean something to a tool, by the name of the argument; anything else is made up from its schema. */
const MEANING: Readonly<Record<string, unknown>> = {
  capability_profile: 'InfraOpsRead',
  environment: 'test',
  service: 'web',
  state: 'enabled',
  tool_id: 'hub.get_status',
};

/** Texts of the usual forms; the first one the schema takes is used. */
const TEXTS = [
  'web',
  'abcdefgh-01',
  'hub:abc',
  '2026-01-01T00:00:00.000Z',
  'f'.repeat(32),
  'f'.repeat(64),
  `sha256:${'f'.repeat(64)}`,
  'a@example.org',
  'https://example.org/x',
  '1.0.0',
  'refs/heads/main',
];

/** A value the schema takes. Throws when there is none: a new kind of argument wants a line above. */
export function sampleOf(name: string, schema: Schema): unknown {
  const fits = (value: unknown) => {
    try {
      validator(schema as never)(value);
      return true;
    } catch {
      return false;
    }
  };
  const candidates = [
    MEANING[name],
    schema.const,
    ...(schema.enum ?? []),
    ...(schema.type === 'object' ? [argumentsFor(schema)] : []),
    ...(schema.type === 'array' ? [[], [schema.items && sampleOf(name, schema.items)]] : []),
    schema.minimum,
    1,
    true,
    ...TEXTS,
  ];
  const sample = candidates.find((value) => value !== undefined && fits(value));
  if (sample === undefined) throw new Error(`no sample fits the argument ${name}: ${JSON.stringify(schema)}`);
  return sample;
}

/** The required members of an object, made up. */
export const argumentsFor = ({ properties = {}, required = [] }: Schema): Record<string, unknown> =>
  Object.fromEntries(required.map((name) => [name, sampleOf(name, properties[name] ?? {})]));
