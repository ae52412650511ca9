import { printableJson } from './printable.js';
import { toned, type Part, type Screen } from './screen.js';
import { layOut, printTable, type Column } from './table.js';
import { relativeTime } from './time.js';
import { stateWord } from './tones.js';
import { printFields, type Field } from './fields.js';

const MAX_DEPTH = 6;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/** Prints any JSON value for a reader: objects as labels and values, lists of objects as tables, lines of text as lines. */
export function printValue(screen: Screen, value: unknown, now: number, indent = 2, depth = 0): void {
  if (depth >= MAX_DEPTH || !isObject(value)) return screen.wrapped(scalar('', value, now), { indent });
  const fields: Field[] = [];
  const blocks: (readonly [name: string, value: object])[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (isBlock(member)) blocks.push([name, member as object]);
    else fields.push([name, scalar(name, member, now)]);
  }
  printFields(screen, fields, indent);
  for (const [name, block] of blocks) {
    screen.line(
      [toned('dim', name), ...(Array.isArray(block) ? [toned('dim', `(${block.length})`)] : [])],
      indent,
    );
    printBlock(screen, block, now, indent + 2, depth + 1);
  }
}

function printBlock(screen: Screen, block: object, now: number, indent: number, depth: number): void {
  if (!Array.isArray(block)) return printValue(screen, block, now, indent, depth);
  if (block.every(isObject)) return printRows(screen, block, now, indent);
  for (const item of block) screen.line(scalar('', item, now), indent);
}

function printRows(
  screen: Screen,
  rows: readonly Record<string, unknown>[],
  now: number,
  indent: number,
): void {
  const names = [...new Set(rows.slice(0, 100).flatMap((row) => Object.keys(row)))];
  const columns = names.map((name, index): Column<Record<string, unknown>> => ({
    title: name,
    cell: (row) => (name in row ? scalar(name, row[name], now) : ''),
    min: 6,
    align: rows.every((row) => typeof row[name] === 'number') ? 'right' : undefined,
    // The first columns say which one it is; the last go first.
    drop: index === 0 ? undefined : names.length - index,
  }));
  printTable(screen, columns, rows, indent);
  const left_out = names.length - layOut(columns, rows, screen.width - indent).placed.length;
  if (left_out > 0) screen.line(toned('dim', `(${left_out} more columns: --json shows them)`), indent);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes lines of its own: an object with members, a list of objects, or lines of text. Short words stay beside their label. */
function isBlock(value: unknown): boolean {
  if (isObject(value)) return Object.keys(value).length > 0;
  if (!Array.isArray(value)) return false;
  return value.some((item) => typeof item === 'object' || (typeof item === 'string' && / /.test(item)));
}

function scalar(name: string, value: unknown, now: number): Part {
  if (value === null || value === undefined) return toned('dim', '-');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return /(^|_)bytes(_|$)/.test(name) ? bytes(value) : String(value);
  if (typeof value === 'string') return INSTANT.test(value) ? relativeTime(value, now) : stateWord(value);
  if (Array.isArray(value) && value.length === 0) return toned('dim', 'none');
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return printableJson(value);
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

function bytes(value: number): string {
  const power = value < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10));
  const shown = value / 1024 ** power;
  return `${power === 0 || shown >= 100 ? Math.round(shown) : shown.toFixed(1)} ${UNITS[power]}`;
}
