import { open, readFile, type FileHandle } from 'node:fs/promises';
import { ExecReply, matcher, Text, Timestamp } from '@adaos/contracts';
import { Type, type Static } from 'typebox';
import { replaceFile } from './durable-file.js';

/** Written and flushed before the effect. */
const BeginLine = Type.Object({
  phase: Type.Literal('begin'),
  key: Text(256),
  event_id: Text(64),
  tool_id: Text(64),
  adapter: Text(64),
  arguments_digest: Text(64),
  at: Timestamp(),
});
/** Written after it, with the reply any repeat will get. */
const EndLine = Type.Object({
  phase: Type.Literal('end'),
  key: Text(256),
  at: Timestamp(),
  reply: ExecReply,
});
export type BeginLine = Static<typeof BeginLine>;
export type EndLine = Static<typeof EndLine>;
export type JournalLine = BeginLine | EndLine;

const isBegin = matcher(BeginLine);
const isEnd = matcher(EndLine);

/** Lines of a journal file in order. A line cut short by a crash, or spoiled otherwise, is left out and counted. */
export async function readJournal(path: string): Promise<{ lines: JournalLine[]; spoiled: number }> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines: JournalLine[] = [];
  let spoiled = 0;
  for (const line of text.split('\n').filter(Boolean)) {
    const value = parse(line);
    if (isBegin(value) || isEnd(value)) lines.push(value as JournalLine);
    else spoiled += 1;
  }
  return { lines, spoiled };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

/** The append-only file behind the journal: one write after another, each on disk before it counts. */
export class JournalFile {
  #handle: FileHandle | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #bytes = 0;
  #torn = false;

  constructor(readonly path: string) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves once the line is on disk. Throws the system's error; the next line then starts on a line of its own. */
  append(line: JournalLine): Promise<void> {
    return this.#inTurn(async () => {
      const text = `${this.#torn ? '\n' : ''}${JSON.stringify(line)}\n`;
      // What a failed write left may be half a line.
      this.#torn = true;
      try {
        this.#handle ??= await open(this.path, 'a', 0o600);
        await this.#handle.appendFile(text);
        await this.#handle.datasync();
      } catch (error) {
        await this.#handle?.close().catch(() => undefined);
        this.#handle = undefined;
        throw error;
      }
      this.#torn = false;
      this.#bytes += Buffer.byteLength(text);
    });
  }

  /** Replaces the whole file by the lines `make` gives at that moment. */
  rewrite(make: () => readonly JournalLine[]): Promise<void> {
    return this.#inTurn(async () => {
      const text = make()
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
      await replaceFile(this.path, text);
      await this.#handle?.close();
      this.#handle = undefined;
      this.#bytes = Buffer.byteLength(text);
      this.#torn = false;
    });
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}
