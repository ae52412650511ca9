import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { OpError } from './errors.js';

// One compiler for the process: validators are made at start, never per request (conventions 2).
const ajv = new Ajv2020({
  strict: true,
  allErrors: false,
  strictRequired: false,
  keywords: ['x-class'],
  allowUnionTypes: true,
});

/** Compiles a schema once. The function narrows a value or throws OpError(invalid_argument) with path and rule. */
export function validator<T>(
  schema: TSchema | Record<string, unknown>,
): (value: unknown, prefix?: string) => T {
  const check = ajv.compile(schema) as ValidateFunction;
  return (value, prefix = '') => {
    if (check(value)) return value as T;
    throw invalid(check.errors?.[0], value, prefix);
  };
}

/** Compiles a schema once into a yes or no. */
export const matcher = (schema: TSchema | Record<string, unknown>): ((value: unknown) => boolean) => {
  const check = ajv.compile(schema);
  return (value) => check(value) === true;
};

function invalid(error: ErrorObject | undefined, root: unknown, prefix: string): OpError {
  const path = prefix + (error?.instancePath ?? '');
  const rule = error?.keyword ?? 'schema';
  const extra = error?.params as Record<string, unknown> | undefined;
  const name = extra?.['additionalProperty'] ?? extra?.['missingProperty'];
  const where = path || 'The input';
  const what =
    rule === 'additionalProperties'
      ? `${where} has no property ${JSON.stringify(name)}`
      : rule === 'required'
        ? `${where} lacks ${JSON.stringify(name)}`
        : rule === 'type' && isNumericString(root, error?.instancePath ?? '')
          ? `${path} must be a number; it came as a string, and nothing is converted`
          : rule === 'enum'
            ? `${where} must be one of ${JSON.stringify(extra?.['allowedValues'])}`
            : `${where} ${error?.message ?? 'is not valid'}`;
  return new OpError(
    'invalid_argument',
    { path, rule, ...(typeof name === 'string' && { property: name }) },
    clip(what),
  );
}

// Models send "lines": "50" (field case F09): the answer says what to change.
function isNumericString(root: unknown, path: string): boolean {
  let at: unknown = root;
  for (const key of path.split('/').slice(1)) at = (at as Record<string, unknown> | undefined)?.[key];
  return typeof at === 'string' && /^-?\d+(\.\d+)?$/.test(at);
}

const clip = (text: string) => (text.length > 400 ? `${text.slice(0, 397)}...` : text) + '.';
