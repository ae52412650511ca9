import { validator } from '@adaos/contracts';
import type { Static, TObject, TSchema } from 'typebox';

/** A config error tells all that is wrong at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(`configuration: ${problems.join('; ')}`);
  }
}

/**
 * Reads the settings a schema names from an environment: strings, numbers and booleans are taken from text, defaults come from the
 * schema, unknown variables are left alone. All problems are reported together; the result is frozen.
 */
export function loadConfig<S extends TObject>(
  schema: S,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Static<S>> {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  const required = new Set((schema as { required?: string[] }).required ?? []);
  for (const [key, field] of Object.entries(schema.properties) as [
    string,
    TSchema & { default?: unknown; type?: string },
  ][]) {
    const text = env[key];
    const value = text === undefined || text === '' ? field.default : parse(text, field.type);
    if (value === undefined) {
      if (required.has(key)) problems.push(`${key} is missing`);
      continue;
    }
    try {
      config[key] = validator(field)(value);
    } catch {
      problems.push(`${key} ${expectation(field)}`);
    }
  }
  if (problems.length) throw new ConfigError(problems);
  return Object.freeze(config) as Readonly<Static<S>>;
}

function parse(text: string, type: string | undefined): unknown {
  if (type === 'integer' || type === 'number') return text.trim() === '' ? text : Number(text);
  if (type === 'boolean')
    return text === '1' || text === 'true' ? true : text === '0' || text === 'false' ? false : text;
  return text;
}

function expectation(field: {
  type?: string;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
  pattern?: string;
}): string {
  if (field.enum) return `must be one of ${field.enum.join(', ')}`;
  if (field.type === 'integer' || field.type === 'number') {
    return `must be a whole number${field.minimum !== undefined ? ` from ${field.minimum}` : ''}${field.maximum !== undefined ? ` to ${field.maximum}` : ''}`;
  }
  if (field.type === 'boolean') return 'must be 1 or 0';
  return field.pattern ? `must match ${field.pattern}` : 'is not valid';
}

/** What `--print-config` shows: secrets are named, never printed. */
export function printableConfig(
  schema: TObject,
  config: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(schema.properties).map(([key, field]) => {
    const hidden = (field as Record<string, unknown>)['x-class'] !== 'public' && config[key] !== undefined;
    return [key, hidden ? '[redacted]' : config[key]];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
