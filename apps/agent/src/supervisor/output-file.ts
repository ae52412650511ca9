import { link, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { Log } from '@adaos/runtime';

/** Longest piece kept back for its line end. */
const MAX_LINE = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * What a service printed, in a file of at most `max_bytes` and one older file beside it (`.1`). Writes are taken one after another;
 * a full disk loses output, never the service.
 */
export class OutputFile {
  #handle: FileHandle | undefined;
  #size = 0;
  #queue: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(
    readonly path: string,
    readonly max_bytes: number,
    readonly log: Log,
  ) {}

  /** Makes the file, so that its log source exists before the first line. */
  open(): Promise<void> {
    return this.write(Buffer.alloc(0));
  }

  write(bytes: Buffer): Promise<void> {
    this.#queue = this.#queue
      .then(() => this.#append(bytes))
      .then(
        () => void (this.#failing = false),
        (error: unknown) => {
          if (!this.#failing) this.log.warn({ err: error, path: this.path }, 'service output is lost');
          this.#failing = true;
        },
      );
    return this.#queue;
  }

  async #append(bytes: Buffer): Promise<void> {
    // A single write larger than the file keeps its end: the newest output is what an operator looks for.
    const kept = bytes.subarray(Math.max(0, bytes.length - this.max_bytes));
    this.#handle ??= await this.#open(this.path);
    if (this.#size > 0 && this.#size + kept.length > this.max_bytes) await this.#rotate(this.#handle);
    if (kept.length) await this.#handle.appendFile(kept);
    this.#size += kept.length;
  }

  /** Sets the full file aside. A new one replaces it in one step, so that a reader finds a file at any moment. */
  async #rotate(full: FileHandle): Promise<void> {
    const fresh = `${this.path}.new`;
    const older = `${this.path}.1`;
    await rm(older, { force: true });
    // Where there are no hard links a reader may miss the file for a moment.
    await link(this.path, older).catch(() => rename(this.path, older));
    await rm(fresh, { force: true });
    this.#handle = await this.#open(fresh);
    await rename(fresh, this.path);
    await full.close();
  }

  async #open(path: string): Promise<FileHandle> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
    const handle = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    this.#size = (await handle.stat()).size;
    return handle;
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

/**
 * Copies a stream into the file by whole lines: a line of stderr must not land inside a line of stdout, where it would split a secret
 * in two halves that no rule knows (field case F11). Reading waits for writing, so a loud service slows down instead of filling memory.
 */
export async function capture(stream: Readable, file: OutputFile): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const bytes = rest.length ? Buffer.concat([rest, chunk]) : chunk;
      const whole = bytes.lastIndexOf(NEWLINE) + 1;
      const end = bytes.length - whole > MAX_LINE ? bytes.length : whole;
      rest = bytes.subarray(end);
      if (end) await file.write(bytes.subarray(0, end));
    }
  } catch {
    // The stream was destroyed with the service: what had come is below.
  }
  if (rest.length) await file.write(Buffer.concat([rest, Buffer.from('\n')]));
}
