import { toned, type Part, type Screen } from './screen.js';
import { widthOf } from './width.js';

/** A label and what stands beside it; null is left out. */
export type Field = readonly [label: string, value: Part | readonly Part[] | null];

/** Labelled values under each other, values wrapped beside their label. */
export function printFields(screen: Screen, fields: readonly Field[], indent = 2): void {
  const shown = fields.filter((field): field is [string, Part | readonly Part[]] => field[1] !== null);
  const hang = indent + 2 + Math.max(0, ...shown.map(([label]) => widthOf(label)));
  for (const [label, value] of shown) screen.wrapped(value, { indent, hang, label: toned('dim', label) });
}
