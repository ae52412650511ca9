import { Type, type TSchema } from 'typebox';

/** Who may read a field outside the service that owns it. A field without a class counts as secret (conventions 3). */
export type FieldClass = 'public' | 'sensitive' | 'secret';

const CLASS = 'x-class';

// typebox keeps `~kind` and `~optional` as hidden properties: copy descriptors, or an optional field turns required.
const mark = <T extends TSchema>(schema: T, value: FieldClass): T =>
  Object.defineProperty(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)), CLASS, {
    value,
    enumerable: true,
    configurable: true,
  }) as T;

/** A field anyone who may see the record may see. */
export const pub = <T extends TSchema>(schema: T): T => mark(schema, 'public');
/** A field masked outside its tenant and in logs. */
export const sensitive = <T extends TSchema>(schema: T): T => mark(schema, 'sensitive');
/** A field never shown, logged or recorded. */
export const secret = <T extends TSchema>(schema: T): T => mark(schema, 'secret');

/** The class of a schema node; unclassified is secret, so forgetting a mark hides rather than leaks. */
export const classOf = (schema: unknown): FieldClass => {
  const value = (schema as Record<string, unknown> | null)?.[CLASS];
  return value === 'public' || value === 'sensitive' ? value : 'secret';
};

/** RFC 3339 UTC with milliseconds. */
export const Timestamp = () =>
  pub(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' }));
export const Nullable = <T extends TSchema>(schema: T) => pub(Type.Union([schema, Type.Null()]));
export const Text = (maxLength = 256, description?: string) =>
  pub(Type.String({ maxLength, ...(description && { description }) }));
export const Count = (description?: string) =>
  pub(Type.Integer({ minimum: 0, ...(description && { description }) }));
export const Flag = (description?: string) => pub(Type.Boolean(description ? { description } : {}));
export const List = <T extends TSchema>(items: T, maxItems = 1000, description?: string) =>
  pub(Type.Array(items, { maxItems, ...(description && { description }) }));
export const OneOf = <const V extends readonly string[]>(values: V, description?: string) =>
  pub(Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...(description && { description }) }));
/** Any object. Spelt so that no schema inside it is empty: clients' checks report a schema that accepts just anything. */
export const Json = () =>
  pub(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }));
