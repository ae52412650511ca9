// Markdown as the reference pages need it.

/** Text inside a table cell: a bar would end the cell, a line break the row. */
const cell = (value) =>
  String(value ?? '')
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ');

export const code = (value) => `\`${value}\``;
export const codes = (values) => values.map(code).join(', ');

/** A table; a column whose cells are all empty is left out, and a table without rows altogether. */
export function table(heads, rows) {
  if (rows.length === 0) return '';
  const used = heads.map((_, i) => rows.some((row) => String(row[i] ?? '') !== ''));
  const line = (cells) =>
    `| ${cells
      .filter((_, i) => used[i])
      .map(cell)
      .join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A page: who made it, its title, its parts with an empty line between. */
export const page = (title, sources, ...parts) =>
  `${[
    `<!-- Made by tools/generators/reference.mjs from ${sources}; edit that and run it again, not this. -->`,
    `# ${title}`,
    ...parts.flat(Infinity).filter(Boolean),
  ].join('\n\n')}\n`;

/** A JSON Schema in a few words: `string, at most 64`, `integer 1 … 200`, `one of a, b`. */
export function typeOf(schema) {
  if (schema.anyOf) {
    const some = schema.anyOf.filter((one) => one.type !== 'null').map(typeOf);
    return [...some, ...(some.length < schema.anyOf.length ? ['null'] : [])].join(' or ');
  }
  if (schema.enum) return `one of ${codes(schema.enum)}`;
  if (schema.const !== undefined) return code(schema.const);
  if (schema.type === 'array')
    return `list of ${plural(typeOf(schema.items ?? {}))}${schema.maxItems === undefined ? '' : `; ${schema.maxItems} entries at most`}`;
  if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema);
  if (schema.pattern?.startsWith('^\\d{4}-')) return 'RFC 3339 time, UTC';
  if (schema.type === 'string')
    return `string${schema.pattern ? ` matching ${code(schema.pattern)}` : atMost(schema.maxLength)}`;
  return schema.type ?? 'any';
}

const atMost = (limit) => (limit === undefined ? '' : `, at most ${limit}`);
const plural = (type) => type.replace(/^(string|integer|number|object|boolean)\b/, '$1s');

function numberOf({ type, minimum, maximum }) {
  if (minimum !== undefined && maximum !== undefined) return `${type} ${minimum} … ${maximum}`;
  if (minimum) return `${type} from ${minimum}`;
  return type;
}
