import { findTool } from '@adaos/contracts';
import type { ResourceRoute } from '../handlers.js';

interface PropertySchema {
  readonly type?: string;
}

/** Argument schemas of a route's tool, by name. */
export function propertiesOf(tool_id: string): Readonly<Record<string, PropertySchema>> {
  const schema = findTool(tool_id)?.contract.input_schema as
    { properties?: Record<string, PropertySchema> } | undefined;
  return schema?.properties ?? {};
}

const INTEGER = /^-?\d{1,15}$/;

/** A query value that does not read as its schema's type. */
export interface ArgumentFault {
  readonly path: string;
  readonly rule: 'type' | 'once';
  readonly message: string;
}

/**
 * Query text to arguments: an argument whose schema says integer or boolean must be written as one, all else stays text. Names the schema does
 * not know are passed on as they are: router refuses them like those of any other client.
 */
export function queryArguments(
  query: URLSearchParams,
  properties: Readonly<Record<string, PropertySchema>>,
): { args: Record<string, unknown> } | { fault: ArgumentFault } {
  const args: Record<string, unknown> = {};
  for (const [name, text] of query) {
    const path = `/${name.slice(0, 64)}`;
    // Two proxies would pick two different ones.
    if (Object.hasOwn(args, name))
      return { fault: { path, rule: 'once', message: `${path} was given twice.` } };
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
    if (type === 'integer' && !INTEGER.test(text))
      return { fault: { path, rule: 'type', message: `${path} must be a whole number.` } };
    if (type === 'boolean' && text !== 'true' && text !== 'false')
      return { fault: { path, rule: 'type', message: `${path} must be true or false.` } };
    const value = type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : text;
    // Not by assignment: `__proto__` in a query would set a prototype.
    Object.defineProperty(args, name, { value, enumerable: true });
  }
  return { args };
}

/** Path parameters of a route, in order: `/sessions/:session_id` has one. */
export const pathNames = (route: Pick<ResourceRoute, 'path'>): string[] =>
  [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
