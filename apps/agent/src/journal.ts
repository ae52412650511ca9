import { join } from 'node:path';
import { OpError, type ExecReply } from '@adaos/contracts';
import type { Clock, Log } from '@adaos/runtime';
import { JournalFile, readJournal, type JournalLine } from './journal-file.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface Write {
  readonly lease_id: string;
  readonly request_id: string;
  readonly event_id: string;
  readonly tool_id: string;
  readonly adapter: string;
  readonly arguments_digest: string;
}

interface Entry extends Omit<Write, 'lease_id' | 'request_id'> {
  readonly key: string;
  readonly at: string;
  begun: boolean;
  reply?: ExecReply;
  readonly settled: Promise<ExecReply | null>;
}

export interface Outcome {
  readonly known: boolean;
  readonly running?: boolean;
  readonly reply?: ExecReply;
}

/** A write that was begun before a crash: what came of it nobody knows, so nobody may do it again (field case F28). */
const INDETERMINATE = { code: 'adapter_failed' as const, details: { outcome: 'indeterminate' } };

export const keyOf = ({ lease_id, request_id }: { lease_id: string; request_id: string }) =>
  `${lease_id}/${request_id}`;

export interface JournalOptions {
  readonly data_dir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Entries older than this are forgotten; no permit lives as long. */
  readonly max_age_ms?: number;
  /** Size at which the file is rewritten without what is forgotten; the oldest ended entries go first. */
  readonly max_bytes?: number;
}

/** What was written on this hub, by request id: each write has one effect, however often its request comes (D2 of the life of a call). */
export class Journal {
  readonly #entries = new Map<string, Entry>();
  readonly #file: JournalFile;
  /** Writes a crash interrupted, for telling root. */
  readonly interrupted: { event_id: string; key: string; reply: ExecReply }[] = [];

  private constructor(readonly options: JournalOptions) {
    this.#file = new JournalFile(join(options.data_dir, 'journal.ndjson'));
  }

  /** Reads the journal of this hub, closes what a crash left open, and drops what is too old. */
  static async open(options: JournalOptions): Promise<Journal> {
    const journal = new Journal(options);
    const { lines, spoiled } = await readJournal(journal.#file.path);
    if (spoiled) options.log.warn({ spoiled }, 'journal lines could not be read');
    for (const line of lines) journal.#load(line);
    for (const entry of journal.#entries.values()) {
      if (entry.reply) continue;
      entry.reply = failed(entry.adapter, new OpError(INDETERMINATE.code, INDETERMINATE.details));
      journal.interrupted.push({ event_id: entry.event_id, key: entry.key, reply: entry.reply });
    }
    await journal.#compact();
    return journal;
  }

  #load(line: JournalLine): void {
    if (line.phase === 'begin') {
      const { phase: _, ...entry } = line;
      this.#entries.set(line.key, { ...entry, begun: true, settled: Promise.resolve(null) });
    } else {
      const entry = this.#entries.get(line.key);
      if (entry) entry.reply = line.reply;
    }
  }

  /**
   * Does a write once. The first call runs `work`, which calls `begin` right before its effect; from then on its reply is the reply of
   * every repeat (`replayed: true`). A repeat while it runs waits `wait_ms`, then throws OpError(duplicate_request); the same request with
   * other arguments throws conflict. Work that ends without `begin` leaves no trace: nothing was done, and a repeat may do it.
   */
  async once(
    write: Write,
    wait_ms: number,
    work: (begin: () => Promise<void>) => Promise<ExecReply>,
  ): Promise<ExecReply> {
    const key = keyOf(write);
    const known = this.#entries.get(key);
    if (known) return this.#repeat(known, write, wait_ms);
    let settle: (reply: ExecReply | null) => void = () => undefined;
    const { lease_id: _l, request_id: _r, ...rest } = write;
    const settled = new Promise<ExecReply | null>((resolve) => (settle = resolve));
    const entry: Entry = { ...rest, key, at: this.options.clock.iso(), begun: false, settled };
    this.#entries.set(key, entry);
    try {
      const reply = await work(() => this.#begin(entry));
      if (entry.begun) await this.#end(entry, reply);
      return reply;
    } finally {
      if (!entry.begun) this.#entries.delete(key);
      settle(entry.reply ?? null);
    }
  }

  async #repeat(known: Entry, write: Write, wait_ms: number): Promise<ExecReply> {
    if (known.arguments_digest !== write.arguments_digest || known.tool_id !== write.tool_id)
      throw new OpError('conflict');
    const reply = known.reply ?? (await within(known.settled, wait_ms));
    if (!reply) throw new OpError('duplicate_request');
    return { ...reply, replayed: true };
  }

  async #begin(entry: Entry): Promise<void> {
    try {
      if (this.#file.bytes > (this.options.max_bytes ?? 8 * 1024 * 1024)) await this.#compact();
      await this.#file.append(beginLine(entry));
    } catch (error) {
      this.options.log.error({ err: error }, 'journal could not be written');
      throw new OpError('audit_unavailable');
    }
    entry.begun = true;
  }

  async #end(entry: Entry, reply: ExecReply): Promise<void> {
    entry.reply = reply;
    // The effect is there whether or not this line gets to disk; without it a restart would call the outcome indeterminate.
    await this.#file
      .append({ phase: 'end', key: entry.key, at: this.options.clock.iso(), reply })
      .catch((error: unknown) => this.options.log.error({ err: error }, 'outcome could not be journaled'));
  }

  /** What became of a write, by its request or by its event. */
  outcomeOf(asked: { event_id: string; lease_id: string; request_id: string }): Outcome {
    const by_key = this.#entries.get(keyOf(asked));
    const entry = by_key ?? [...this.#entries.values()].find((one) => one.event_id === asked.event_id);
    if (!entry) return { known: false };
    return entry.reply ? { known: true, reply: entry.reply } : { known: true, running: true };
  }

  /** Writes that run or wait now. */
  get open(): number {
    return [...this.#entries.values()].filter((entry) => !entry.reply).length;
  }

  async #compact(): Promise<void> {
    const { clock, max_age_ms = DAY_MS, max_bytes = 8 * 1024 * 1024 } = this.options;
    await this.#file.rewrite(() => {
      const oldest = clock.now() - max_age_ms;
      const kept: JournalLine[][] = [];
      let bytes = 0;
      for (const entry of [...this.#entries.values()].reverse()) {
        const lines: JournalLine[] = entry.reply
          ? [beginLine(entry), { phase: 'end', key: entry.key, at: entry.at, reply: entry.reply }]
          : [beginLine(entry)];
        bytes += Buffer.byteLength(JSON.stringify(lines));
        // Half the bound, so that the next rewrite is a while away.
        const forget = entry.reply && (Date.parse(entry.at) < oldest || bytes > max_bytes / 2);
        if (forget) this.#entries.delete(entry.key);
        else if (entry.begun) kept.push(lines);
      }
      return kept.reverse().flat();
    });
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

const beginLine = ({ key, event_id, tool_id, adapter, arguments_digest, at }: Entry): JournalLine => ({
  phase: 'begin',
  key,
  event_id,
  tool_id,
  adapter,
  arguments_digest,
  at,
});

/** A failed reply that says why. */
export const failed = (adapter: string, error: OpError): ExecReply => ({
  status: 'failed',
  error: { code: error.code, message: error.message, ...(error.details && { details: error.details }) },
  redactions: [],
  adapter,
  adapter_ms: 0,
});

async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), Math.max(0, ms))));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
