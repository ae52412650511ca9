import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createScreen, toned } from './screen.js';
import { printTable, type Column } from './table.js';
import { clip, widthOf } from './width.js';

interface Row {
  readonly id: string;
  readonly text: string;
  readonly count: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', cell: ({ id }) => id, min: 5, cut: 'start', all_or_short: true },
  { title: 'TEXT', cell: ({ text }) => toned('ok', text), min: 6 },
  { title: 'N', cell: ({ count }) => count, align: 'right', drop: 1 },
];
const ROWS: readonly Row[] = [
  { id: 'id-0000000001', text: 'a rather long text', count: 7 },
  { id: 'id-0000000002', text: 'short', count: 1234 },
];

function drawn(columns: number | undefined, rows: readonly Row[] = ROWS, color = false): string {
  let out = '';
  printTable(createScreen({ write: (text) => (out += text), columns }, color), COLUMNS, rows);
  return out;
}

describe('a table', () => {
  test('with room', () =>
    expect(drawn(60)).toBe(
      'ID             TEXT                   N\n' +
        'id-0000000001  a rather long text     7\n' +
        'id-0000000002  short               1234\n',
    ));

  test('cuts the text and keeps the id whole while it can', () =>
    expect(drawn(32)).toBe(
      'ID            TEXT             N\n' +
        'id-0000000001 a rather lon…    7\n' +
        'id-0000000002 short         1234\n',
    ));

  test('turns to the end of the id where that is not enough', () =>
    expect(drawn(22)).toBe(
      'ID    TEXT           N\n' + '…0001 a rather l…    7\n' + '…0002 short       1234\n',
    ));

  test('leaves a column out', () =>
    expect(drawn(15)).toBe('ID    TEXT\n' + '…0001 a rather…\n' + '…0002 short\n'));

  test('piped on, nothing is cut', () => expect(drawn(undefined)).toBe(drawn(60)));

  test('colour takes no room', () =>
    expect(drawn(32, ROWS, true).replace(/\x1b\[\d+m/g, '')).toBe(drawn(32)));

  test('fits, whatever is in it', () => {
    const row = fc.record({
      id: fc.string({ unit: 'binary' }),
      text: fc.string({ unit: 'grapheme' }),
      count: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 20, max: 120 }), (rows, columns) => {
        for (const line of drawn(columns, rows).split('\n'))
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('clip', () => {
  test.each([
    ['abcdef', 4, 'end', 'abc…'],
    ['abcdef', 4, 'start', '…def'],
    ['日本語', 4, 'end', '日…'],
    ['e\u0301e\u0301e\u0301', 2, 'end', 'e\u0301…'],
    ['abc', 3, 'end', 'abc'],
    ['abc', 0, 'end', ''],
  ] as const)('%s to %d at the %s', (text, width, cut, clipped) =>
    expect(clip(text, width, cut)).toBe(clipped),
  );
});
