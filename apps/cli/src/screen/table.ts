import { partText, toned, type Part, type Screen } from './screen.js';
import { clip, widthOf, type Cut } from './width.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Part;
  /** Fewest columns it is still worth showing in; a column without one is never cut. */
  readonly min?: number;
  readonly cut?: Cut;
  /** An id: shown whole, or cut to `min` at once, nothing in between. */
  readonly all_or_short?: true;
  readonly align?: 'right';
  /** Left out on narrow screens, lowest first; a column without one always stays. */
  readonly drop?: number;
  /** Columns its cells usually need: room kept for rows that come later. */
  readonly usual?: number;
}

/** A column with the width it was given. */
interface Placed<Row> {
  readonly column: Column<Row>;
  width: number;
}

export interface Layout<Row> {
  readonly placed: readonly Placed<Row>[];
  /** Spaces between columns: two, or one where room is short. */
  readonly gap: number;
}

/**
 * Widths for these rows on this screen. Where they do not fit, in this order: columns move together, those that may be are left out,
 * ids turn to their short form, the widest are cut.
 */
export function layOut<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): Layout<Row> {
  let placed = columns.map((column) => ({ column, width: naturalWidth(column, rows) }));
  if (total(placed, 2) <= width) return { placed, gap: 2 };
  const least = placed.map(({ column, width: natural }) => ({ column, width: leastWidth(column, natural) }));
  const kept = fewest(least, width).map(({ column }) => column);
  placed = placed.filter(({ column }) => kept.includes(column));
  if (total(placed, 2) <= width) return { placed, gap: 2 };
  const whole = placed.map((entry) =>
    entry.column.all_or_short ? entry : { ...entry, width: leastWidth(entry.column, entry.width) },
  );
  if (total(whole, 1) > width) {
    placed = placed.map((entry) =>
      entry.column.all_or_short ? { ...entry, width: leastWidth(entry.column, entry.width) } : entry,
    );
  }
  cutWidest(placed, width);
  return { placed, gap: 1 };
}

const total = (placed: readonly { width: number }[], gap: number) =>
  placed.reduce((sum, { width }) => sum + width, 0) + gap * (placed.length - 1);

const naturalWidth = <Row>(column: Column<Row>, rows: readonly Row[]) =>
  Math.max(
    column.usual ?? 0,
    widthOf(column.title),
    ...rows.map((row) => widthOf(partText(column.cell(row)))),
  );

const leastWidth = <Row>(column: Column<Row>, natural: number) =>
  Math.min(natural, Math.max(column.min ?? natural, widthOf(column.title)));

/** The columns that stay when each takes its least. */
function fewest<Row>(placed: readonly Placed<Row>[], width: number): readonly Placed<Row>[] {
  if (total(placed, 1) <= width) return placed;
  const droppable = placed.filter(({ column }) => column.drop !== undefined);
  if (!droppable.length) return placed;
  const next = droppable.reduce((a, b) => (a.column.drop! <= b.column.drop! ? a : b));
  return fewest(
    placed.filter((entry) => entry !== next),
    width,
  );
}

function cutWidest<Row>(placed: readonly Placed<Row>[], width: number): void {
  for (let over = total(placed, 1) - width; over > 0; over--) {
    const cuttable = placed.filter(
      (entry) => !entry.column.all_or_short && entry.width > leastWidth(entry.column, entry.width),
    );
    if (!cuttable.length) return;
    cuttable.reduce((a, b) => (b.width > a.width ? b : a)).width -= 1;
  }
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
  { placed, gap }: Layout<Row>,
  indent: number,
  partOf: (column: Column<Row>) => Part,
): void {
  const cells = placed.map(({ column, width }, index) => {
    const part = partOf(column);
    // Only a terminal cuts; piped on, a cell wider than its column is whole and pushes the rest aside.
    const text = screen.width === Infinity ? partText(part) : clip(partText(part), width, column.cut);
    const pad = ' '.repeat(Math.max(0, width - widthOf(text)));
    const between = ' '.repeat(index === placed.length - 1 ? 0 : gap);
    return [
      { text: column.align === 'right' ? pad : '', part: '' },
      { text, part },
      { text: (column.align === 'right' ? '' : pad) + between, part: '' },
    ];
  });
  screen.cells([{ text: ' '.repeat(indent), part: '' }, ...cells.flat()]);
}
