import { partText, toned, type Part, type Screen } from './screen.js';
import { clip, widthOf, type Cut } from './width.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Part;
  /** Fewest columns it is still worth showing in; a column without one is never cut. */
  readonly min?: number;
  readonly cut?: Cut;
  readonly align?: 'right';
  /** Left out on narrow screens, lowest first; a column without one always stays. */
  readonly drop?: number;
  /** Columns its cells usually need: room kept for rows that come later. */
  readonly usual?: number;
}

/** A column with the width it was given. */
type Placed<Row> = Column<Row> & { readonly width: number };
export type Layout<Row> = readonly Placed<Row>[];

const GAP = 2;

/** Widths for these rows on this screen: columns are left out, then the widest are cut, until a row fits. */
export function layOut<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): Layout<Row> {
  const natural = columns.map((column) => ({
    ...column,
    width: Math.max(
      column.usual ?? 0,
      widthOf(column.title),
      ...rows.map((row) => widthOf(partText(column.cell(row)))),
    ),
  }));
  const least = ({ min, width: wanted }: Placed<Row>) => Math.min(wanted, min ?? wanted);
  const total = (sizes: readonly number[]) =>
    sizes.reduce((sum, size) => sum + size, 0) + GAP * (sizes.length - 1);
  let placed = natural;
  while (total(placed.map(least)) > width) {
    const droppable = placed.filter((column) => column.drop !== undefined);
    if (!droppable.length) break;
    const next = droppable.reduce((a, b) => (a.drop! <= b.drop! ? a : b));
    placed = placed.filter((column) => column !== next);
  }
  const sizes = placed.map((column) => column.width);
  while (total(sizes) > width) {
    const widest = sizes.reduce((at, size, index) => {
      const shrinks = size > least(placed[index]!);
      return shrinks && (at < 0 || size > sizes[at]!) ? index : at;
    }, -1);
    if (widest < 0) break;
    sizes[widest]! -= 1;
  }
  return placed.map((column, index) => ({ ...column, width: sizes[index]! }));
}

export function printHeader<Row>(screen: Screen, layout: Layout<Row>, indent = 0): void {
  printCells(screen, layout, indent, ({ title }) => toned('dim', title));
}

export function printRow<Row>(screen: Screen, layout: Layout<Row>, row: Row, indent = 0): void {
  printCells(screen, layout, indent, ({ cell }) => cell(row));
}

/** Header and rows. */
export function printTable<Row>(
  screen: Screen,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  indent = 0,
): void {
  const layout = layOut(columns, rows, screen.width - indent);
  printHeader(screen, layout, indent);
  for (const row of rows) printRow(screen, layout, row, indent);
}

function printCells<Row>(
  screen: Screen,
  layout: Layout<Row>,
  indent: number,
  partOf: (column: Placed<Row>) => Part,
): void {
  const cells = layout.map((column, index) => {
    const part = partOf(column);
    // Only a terminal cuts; piped on, a cell wider than its column is whole and pushes the rest aside.
    const text = screen.width === Infinity ? partText(part) : clip(partText(part), column.width, column.cut);
    const pad = ' '.repeat(Math.max(0, column.width - widthOf(text)));
    const gap = ' '.repeat(index === layout.length - 1 ? 0 : GAP);
    return [
      { text: column.align === 'right' ? pad : '', part: '' },
      { text, part },
      { text: (column.align === 'right' ? '' : pad) + gap, part: '' },
    ];
  });
  screen.cells([{ text: ' '.repeat(indent), part: '' }, ...cells.flat()]);
}
