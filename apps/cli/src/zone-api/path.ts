import { usage } from '../failure.js';

/** A path with its parameters encoded: path`/sessions/${id}/revoke`. An id that would leave its place in the path is refused. */
export function path(strings: TemplateStringsArray, ...values: string[]): string {
  return strings.reduce((text, part, index) => text + segment(values[index - 1] ?? '') + part);
}

function segment(value: string): string {
  // URL parsers resolve these, encoded or not, before anything is sent.
  if (value === '' || value === '.' || value === '..') throw usage(`${JSON.stringify(value)} is no id.`);
  return encodeURIComponent(value);
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** `?a=1&b=2` of what is defined; empty when nothing is. */
export function queryText(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text && `?${text}`;
}
