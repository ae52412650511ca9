import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { ExecReply } from '@adaos/contracts';
import { silentLog, type Clock } from '@adaos/runtime';
import { JournalFile, readJournal } from './journal-file.js';
import { Journal, type Write } from './journal.js';

jest.setTimeout(30_000);
const open: { journal: Journal; dir: string }[] = [];
afterEach(async () => {
  for (const { journal } of open) await journal.close();
  for (const { dir } of open.splice(0)) rmSync(dir, { recursive: true, force: true });
});

let now = Date.parse('2026-11-30T12:00:00.000Z');
const clock: Clock = { now: () => now, iso: () => new Date(now).toISOString(), every: () => () => undefined };
async function start(dir = mkdtempSync(join(tmpdir(), 'journal-')), more = {}) {
  const journal = await Journal.open({ data_dir: dir, clock, log: silentLog, ...more });
  open.push({ journal, dir });
  return { journal, dir, file: join(dir, 'journal.ndjson') };
}
const write = (more: Partial<Write> = {}): Write => ({
  lease_id: 'lse_1',
  request_id: 'r1',
  event_id: 'evt_1',
  tool_id: 'hub.restart_service',
  adapter: 'restart_service',
  arguments_digest: 'd1',
  ...more,
});
const reply = (text = 'first'): ExecReply => ({
  status: 'succeeded',
  result: { text },
  redactions: [],
  adapter: 'restart_service',
  adapter_ms: 1,
});
/** Work with an effect that is counted. */
const effect =
  (done: string[], name = 'x') =>
  async (begin: () => Promise<void>) => {
    await begin();
    done.push(name);
    return reply(name);
  };
const asked = { event_id: 'evt_1', lease_id: 'lse_1', request_id: 'r1' };

describe('a write has one effect', () => {
  test('a repeat gets the first reply and does nothing', async () => {
    const done: string[] = [];
    const { journal } = await start();
    expect(await journal.once(write(), 1_000, effect(done, 'a'))).toEqual(reply('a'));
    expect(await journal.once(write(), 1_000, effect(done, 'b'))).toEqual({ ...reply('a'), replayed: true });
    expect(done).toEqual(['a']);
    expect(journal.outcomeOf(asked)).toEqual({ known: true, reply: reply('a') });
    expect(journal.outcomeOf({ ...asked, lease_id: 'x' })).toMatchObject({ known: true });
    expect(journal.outcomeOf({ event_id: 'evt_9', lease_id: 'x', request_id: 'r' })).toEqual({
      known: false,
    });
  });

  test('also after the agent was started again', async () => {
    const done: string[] = [];
    const { journal, dir } = await start();
    await journal.once(write(), 1_000, effect(done, 'a'));
    await journal.close();
    const next = await start(dir);
    expect(await next.journal.once(write(), 1_000, effect(done, 'b'))).toEqual({
      ...reply('a'),
      replayed: true,
    });
    expect(done).toEqual(['a']);
    expect(next.journal.interrupted).toEqual([]);
  });

  test('twenty at once run once', async () => {
    const done: string[] = [];
    const { journal } = await start();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => journal.once(write(), 5_000, effect(done, `n${i}`))),
    );
    expect(done).toEqual(['n0']);
    expect(all.filter((one) => one.replayed)).toHaveLength(19);
    expect(new Set(all.map((one) => JSON.stringify(one.result)))).toEqual(new Set(['{"text":"n0"}']));
  });

  test('a repeat that can wait no longer is told that the first still runs', async () => {
    const { journal } = await start();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const first = journal.once(write(), 1_000, async (begin) => {
      await begin();
      await ended;
      return reply();
    });
    await expect(journal.once(write(), 20, effect([]))).rejects.toMatchObject({ code: 'duplicate_request' });
    expect(journal.outcomeOf(asked)).toEqual({ known: true, running: true });
    end();
    await first;
  });

  test.each([{ arguments_digest: 'd2' }, { tool_id: 'hub.other' }])(
    'the same request with %j is a conflict',
    async (other) => {
      const { journal } = await start();
      await journal.once(write(), 1_000, effect([]));
      await expect(journal.once(write(other), 1_000, effect([]))).rejects.toMatchObject({ code: 'conflict' });
    },
  );

  test('the same request id of another lease is another write', async () => {
    const done: string[] = [];
    const { journal } = await start();
    await journal.once(write(), 1_000, effect(done, 'a'));
    await journal.once(write({ lease_id: 'lse_2', event_id: 'evt_2' }), 1_000, effect(done, 'b'));
    expect(done).toEqual(['a', 'b']);
  });

  test('work that ended before it began leaves no trace', async () => {
    const done: string[] = [];
    const { journal, file } = await start();
    const refused = { ...reply(), status: 'timed_out' as const };
    expect(await journal.once(write(), 1_000, async () => refused)).toEqual(refused);
    expect(readFileSync(file, 'utf8')).toBe('');
    expect(await journal.once(write(), 1_000, effect(done, 'a'))).toEqual(reply('a'));
    expect(done).toEqual(['a']);
  });
});

describe('a crash', () => {
  test('the begin line is on disk before the effect', async () => {
    const { journal, file } = await start();
    await journal.once(write(), 1_000, async (begin) => {
      await begin();
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        phase: 'begin',
        key: 'lse_1/r1',
        event_id: 'evt_1',
      });
      return reply();
    });
    expect(readFileSync(file, 'utf8').split('\n').filter(Boolean)).toHaveLength(2);
  });

  test('a write that was begun and not ended is indeterminate and never done again', async () => {
    const { journal, dir, file } = await start();
    await journal.once(write(), 1_000, effect([]));
    await journal.close();
    writeFileSync(
      file,
      readFileSync(file, 'utf8').split('\n')[0]! + '\n{"phase":"end","key":"lse_1/r1","at":"2026-',
    );
    const next = await start(dir);
    const done: string[] = [];
    const outcome = {
      status: 'failed',
      error: { code: 'adapter_failed', details: { outcome: 'indeterminate' } },
    };
    expect(await next.journal.once(write(), 1_000, effect(done))).toMatchObject({
      ...outcome,
      replayed: true,
    });
    expect(done).toEqual([]);
    expect(next.journal.interrupted).toMatchObject([{ event_id: 'evt_1', key: 'lse_1/r1', reply: outcome }]);
    // What was said once stays so.
    await next.journal.close();
    const third = await start(dir);
    expect(third.journal.outcomeOf(asked)).toMatchObject({ known: true, reply: outcome });
    expect(third.journal.interrupted).toEqual([]);
  });

  test('spoiled lines cost themselves only', async () => {
    const { journal, dir, file } = await start();
    await journal.once(write(), 1_000, effect([], 'a'));
    await journal.close();
    appendFileSync(file, '{"phase":"begin","key":7}\nnot json\n\u0000\u0000\n{"phase":"end","key":"nobody"');
    const next = await start(dir);
    expect(await next.journal.once(write(), 1_000, effect([]))).toEqual({ ...reply('a'), replayed: true });
    expect(await next.journal.once(write({ request_id: 'r2' }), 1_000, effect([], 'b'))).toEqual(reply('b'));
  });

  test('a journal that can not be written refuses the write before its effect', async () => {
    const { journal, dir } = await start();
    const done: string[] = [];
    rmSync(dir, { recursive: true });
    const refused = journal.once(write(), 1_000, effect(done));
    await expect(refused).rejects.toMatchObject({ code: 'audit_unavailable' });
    expect(done).toEqual([]);
  });
});

test('a line after one that failed half way stands on a line of its own', async () => {
  const { dir } = await start();
  const path = join(dir, 'full');
  symlinkSync('/dev/full', path);
  const file = new JournalFile(path);
  const line = { phase: 'end' as const, key: 'k', at: new Date(now).toISOString(), reply: reply() };
  await expect(file.append(line)).rejects.toMatchObject({ code: 'ENOSPC' });
  rmSync(path);
  writeFileSync(path, '{"phase":"be');
  await file.append(line);
  await file.append(line);
  await file.close();
  expect(await readJournal(path)).toEqual({ lines: [line, line], spoiled: 1 });
});

describe('size', () => {
  test('entries older than a day are forgotten at start', async () => {
    const { journal, dir } = await start();
    await journal.once(write(), 1_000, effect([]));
    now += 23 * 3_600_000;
    await journal.once(write({ request_id: 'r2', event_id: 'evt_2' }), 1_000, effect([]));
    await journal.close();
    now += 2 * 3_600_000;
    const next = await start(dir);
    expect(next.journal.outcomeOf(asked)).toEqual({ known: false });
    expect(next.journal.outcomeOf({ ...asked, event_id: 'evt_2', request_id: 'r2' })).toMatchObject({
      known: true,
    });
    expect(readFileSync(next.file, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  test('a file that grew too large is rewritten while it runs, newest kept, running ones never dropped', async () => {
    const { journal, file, dir } = await start(undefined, { max_bytes: 8_192 });
    let end: () => void = () => undefined;
    const long = journal.once(write({ request_id: 'long', event_id: 'evt_long' }), 1_000, async (begin) => {
      await begin();
      await new Promise<void>((resolve) => (end = resolve));
      return reply('long');
    });
    for (let i = 0; i < 60; i++)
      await journal.once(write({ request_id: `n${i}`, event_id: `evt_${i}` }), 1_000, effect([]));
    expect(statSync(file).size).toBeLessThan(9_000);
    expect(journal.outcomeOf({ ...asked, request_id: 'n59' })).toMatchObject({ known: true });
    expect(journal.outcomeOf({ event_id: 'evt_0', lease_id: 'lse_1', request_id: 'n0' })).toEqual({
      known: false,
    });
    expect(journal.open).toBe(1);
    end();
    await long;
    await journal.close();
    const next = await start(dir);
    expect(
      next.journal.outcomeOf({ event_id: 'evt_long', lease_id: 'lse_1', request_id: 'long' }),
    ).toMatchObject({ reply: reply('long') });
    expect(existsSync(`${file}.new`)).toBe(false);
  });
});
