import { Ansis } from 'ansis';
import type { Sink } from '../io.js';
import { printable } from './printable.js';
import { widthOf } from './width.js';

export type Tone = 'ok' | 'bad' | 'warn' | 'dim' | 'strong' | 'accent';

/** A piece of output. Text stays as it came until it is written: escaping, cutting and colour happen here and nowhere before. */
export type Part = string | number | Toned;
export interface Toned {
  readonly text: string;
  readonly tone: Tone | null;
}

export const toned = (tone: Tone | null, text: string | number): Toned => ({ text: String(text), tone });
export const partText = (part: Part): string =>
  printable(typeof part === 'object' ? part.text : String(part));

export interface Margins {
  readonly indent?: number;
  /** Where further lines start, and where the words start when there is a label. */
  readonly hang?: number;
  readonly label?: Toned;
}

/** A place to print to: of some width, with or without colour. */
export interface Screen {
  /** Columns; Infinity when the output is no terminal, since what is piped on must be whole. */
  readonly width: number;
  /** One line of parts, a space between them. Never more than one: line breaks in a part are shown as escapes. */
  line(parts?: Part | readonly Part[], indent?: number): void;
  /** One line of cells already laid out; each is text and the part whose tone it has. */
  cells(cells: readonly { text: string; part: Part }[]): void;
  /** Like line, broken between words where it would not fit. */
  wrapped(parts: Part | readonly Part[], margins?: Margins): void;
}

export function createScreen(sink: Sink, color: boolean): Screen {
  const ansis = new Ansis(color ? 1 : 0);
  const paints: Record<Tone, (text: string) => string> = {
    ok: ansis.green,
    bad: ansis.red,
    warn: ansis.yellow,
    dim: ansis.dim,
    strong: ansis.bold,
    accent: ansis.cyan,
  };
  const paint = (text: string, part: Part) =>
    typeof part === 'object' && part.tone !== null ? paints[part.tone](text) : text;
  const width = sink.columns ?? Infinity;
  const list = (parts: Part | readonly Part[]): readonly Part[] =>
    Array.isArray(parts) ? (parts as Part[]) : [parts as Part];

  return {
    width,
    line: (parts = '', indent = 0) =>
      sink.write(
        ' '.repeat(indent) +
          list(parts)
            .map((part) => paint(partText(part), part))
            .join(' ') +
          '\n',
      ),
    cells: (cells) =>
      sink.write(
        cells
          .map(({ text, part }) => paint(text, part))
          .join('')
          .trimEnd() + '\n',
      ),
    wrapped: (parts, { indent = 0, hang = indent, label } = {}) => {
      const words = list(parts).flatMap((part) =>
        partText(part)
          .split(' ')
          .map((text) => ({ text, part })),
      );
      let at = label ? hang : indent;
      let out = ' '.repeat(indent);
      if (label) out += paint(partText(label).padEnd(hang - indent), label);
      for (const [index, { text, part }] of words.entries()) {
        const needed = widthOf(text);
        if (index > 0 && at + 1 + needed > width) {
          out += '\n' + ' '.repeat(hang);
          at = hang;
        } else if (index > 0) {
          out += ' ';
          at += 1;
        }
        out += paint(text, part);
        at += needed;
      }
      sink.write(out + '\n');
    },
  };
}
