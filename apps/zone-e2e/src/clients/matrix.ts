import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Wire } from './wire.js';

/** One client of the matrix; connect-a-client.md shows the table. */
export interface MatrixRow {
  readonly name: string;
  /** npm package and version: what `.ci/run` installs, or what is a development dependency. */
  readonly package: string;
  readonly version: string;
  /** By case: what it asked, and what of that was refused. */
  readonly wire: Readonly<Record<string, { readonly asked: string[]; readonly refused: string[] }>>;
}
export interface Matrix {
  readonly checked: string;
  readonly clients: Readonly<Record<string, MatrixRow>>;
}

const FILE = new URL('../client-matrix.json', import.meta.url);
const readMatrix = (): Matrix => JSON.parse(readFileSync(FILE, 'utf8')) as Matrix;

/** The row of that client. */
export function rowOf(client: string): MatrixRow {
  const row = readMatrix().clients[client];
  if (!row) throw new Error(`client-matrix.json has no ${client}`);
  return row;
}

/**
 * Holds what a client did against its record. It may ask for more than is recorded as long as that is served; a refusal that is not
 * recorded, or something no longer asked, fails. `RECORD_CLIENTS=1` writes what was seen instead; prettier and a look at the diff follow.
 */
export function expectRecorded(client: string, name: string, wire: Pick<Wire, 'asked' | 'refused'>): void {
  const seen = { asked: wire.asked(), refused: wire.refused() };
  if (process.env['RECORD_CLIENTS'] === '1') {
    const matrix = readMatrix();
    const row = matrix.clients[client]!;
    const clients = { ...matrix.clients, [client]: { ...row, wire: { ...row.wire, [name]: seen } } };
    writeFileSync(
      FILE,
      `${JSON.stringify({ checked: new Date().toISOString().slice(0, 10), clients }, null, 2)}\n`,
    );
    return;
  }
  const recorded = rowOf(client).wire[name] ?? { asked: [], refused: [] };
  expect({
    client,
    name,
    no_longer_asked: recorded.asked.filter((line) => !seen.asked.includes(line)),
  }).toEqual({
    client,
    name,
    no_longer_asked: [],
  });
  expect({
    client,
    name,
    newly_refused: seen.refused.filter((line) => !recorded.refused.includes(line)),
  }).toEqual({
    client,
    name,
    newly_refused: [],
  });
}
