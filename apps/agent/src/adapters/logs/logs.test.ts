import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { toolOf, validator } from '@adaos/contracts';
import { systemClock } from '@adaos/runtime';
import type { LogSource } from '../../agent-config.js';
import type { AdapterContext } from '../adapter.js';
import { LINE_CAP } from './fit-lines.js';
import { logs } from './logs.js';

jest.setTimeout(30_000);
interface Output {
  source: string | null;
  sources: string[];
  lines: string[];
  count: number;
  bytes_scanned: number;
  complete: boolean;
}
const checkOutput = validator<Output>(toolOf('hub.get_logs').contract.output_schema);
const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

function hub(
  sources: (dir: string) => LogSource[] = (dir) => [
    { name: 'app', kind: 'file', path: join(dir, 'log/app.log') },
  ],
) {
  const dir = mkdtempSync(join(tmpdir(), 'logs-'));
  dirs.push(dir);
  mkdirSync(join(dir, 'log'));
  mkdirSync(join(dir, 'data/logs'), { recursive: true });
  const config = { log_sources: sources(dir), log_roots: [join(dir, 'log')] };
  const context = {
    config,
    data_dir: join(dir, 'data'),
    clock: systemClock,
    signal: new AbortController().signal,
    dry_run: false,
    max_bytes: 262_144,
    timeout_ms: 15_000,
  } as unknown as AdapterContext;
  const read = async (args: Record<string, unknown> = {}, more: Partial<AdapterContext> = {}) => {
    const result = await logs.run({ source: 'app', ...args }, { ...context, ...more });
    return { ...result, output: checkOutput(result.output) };
  };
  const write = (text: string | Buffer, file = 'log/app.log') => writeFileSync(join(dir, file), text);
  return { dir, read, write };
}
const linesOf = async (text: string | Buffer, args: Record<string, unknown> = {}) => {
  const { read, write } = hub();
  write(text);
  return (await read(args)).output.lines;
};

test('without a source it says which there are, and reads nothing', async () => {
  const { read } = hub();
  expect((await read({ source: undefined })).output).toEqual({
    source: null,
    sources: ['app'],
    lines: [],
    count: 0,
    bytes_scanned: 0,
    complete: true,
  });
});

describe('field case F20: boundaries', () => {
  test('the reported input', async () => {
    const text = `discard\n界${'a'.repeat(1017)}\nlast`;
    expect(await linesOf(text, { tail: 2 })).toEqual([`界${'a'.repeat(1017)}`, 'last']);
  });

  test('multi-byte characters at every offset around the read size', async () => {
    const { read, write } = hub();
    for (let shift = -4; shift <= 4; shift++) {
      const line = `界€😀${'a'.repeat(65_536 - 40 + shift)}`.slice(0, 4_000) + '界'.repeat(400);
      const text = `first\n${`${line}\n`.repeat(30)}${'b'.repeat(40 + shift)}\nlast`;
      write(text);
      const { output } = await read({ tail: 31 });
      expect(output.lines).toEqual(text.split('\n').slice(-31));
      expect(output.complete).toBe(false);
    }
  });

  test('CRLF, no final newline, empty lines, a byte that is no UTF-8, an empty file', async () => {
    expect(await linesOf('a\r\nb\r\n\r\nc')).toEqual(['a', 'b', '', 'c']);
    expect(await linesOf('a\nb\n')).toEqual(['a', 'b']);
    expect(await linesOf(Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe7, 0x95, 0x8c]))).toEqual([
      'a\ufffdb',
      '界',
    ]);
    expect(await linesOf('')).toEqual([]);
  });

  test('complete says whether older lines exist', async () => {
    const { read, write } = hub();
    write('a\nb\nc\n');
    expect((await read({ tail: 3 })).output).toMatchObject({
      lines: ['a', 'b', 'c'],
      count: 3,
      complete: true,
      bytes_scanned: 6,
    });
    expect((await read({ tail: 2 })).output).toMatchObject({ lines: ['b', 'c'], count: 2, complete: false });
    expect((await read({ tail: 1, contains: 'b' })).output).toMatchObject({ lines: ['b'], complete: true });
  });

  test('a file rewritten between two reads is read as it is now', async () => {
    const { read, write, dir } = hub();
    write('old\n'.repeat(50_000));
    await read();
    truncateSync(join(dir, 'log/app.log'), 0);
    appendFileSync(join(dir, 'log/app.log'), 'new\n');
    expect((await read()).output).toMatchObject({ lines: ['new'], complete: true });
  });
});

describe('reading backwards is bounded', () => {
  test('a filter looks further back, up to the bound, and then says so', async () => {
    const { read, write } = hub();
    write(`needle 1\n${'x'.repeat(99).concat('\n').repeat(10_000)}needle 2\n`);
    expect((await read({ contains: 'needle' })).output).toMatchObject({
      lines: ['needle 1', 'needle 2'],
      complete: true,
    });
    write(`needle 1\n${'x'.repeat(99).concat('\n').repeat(40_000)}needle 2\n`);
    const { output } = await read({ contains: 'needle' });
    expect(output).toMatchObject({ lines: ['needle 2'], complete: false, bytes_scanned: 2 * 1024 * 1024 });
  });

  test('a long line is cut at a character and says how much is missing', async () => {
    const [line] = await linesOf(`a${'界'.repeat(5_000)}\n`);
    expect(line).toBe(`a${'界'.repeat(2_730)} [line cut: ${15_001 - 8_191} more bytes]`);
    expect(Buffer.byteLength(line!.split(' [')[0]!)).toBeLessThanOrEqual(LINE_CAP);
  });

  test('a line longer than all that is read shows its end, not half a token', async () => {
    const text = `${'y'.repeat(3 * 1024 * 1024)} end of it`;
    const [line] = await linesOf(text);
    expect(line).toMatch(/^\[begins earlier\] y+ \[line cut: \d+ more bytes\]$/);
  });

  test('the answer fits its bound, keeps the newest lines and says it was shortened', async () => {
    const { read, write } = hub();
    write(Array.from({ length: 900 }, (_, i) => `line ${i} "quoted" \\ \u0001`).join('\n'));
    const { output, truncated } = await read({ tail: 1_000 }, { max_bytes: 8_192 });
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(8_192);
    expect(output.lines.length).toBeGreaterThan(100);
    expect(output.lines.at(-1)).toBe('line 899 "quoted" \\ \u0001');
    expect({ truncated, complete: output.complete }).toEqual({ truncated: true, complete: false });
  });

  test('an abort ends it', async () => {
    const { read, write } = hub();
    write('a\n');
    await expect(read({}, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  });
});

describe('secrets are masked before anything is filtered or cut', () => {
  test('a token split over the cut, a key block that begins before the first line', async () => {
    const key = [
      '-----BEGIN PRIVATE KEY-----',
      ...Array.from({ length: 6 }, () => 'k1+/'.repeat(8)),
      '-----END PRIVATE KEY-----',
    ];
    const { read, write } = hub();
    write(`start\n${key.join('\n')}\nafter API_KEY=sk_fake_1234567890abcd\nend`);
    const { output, redactions } = await read({ tail: 3 });
    expect(output.lines).toEqual(['[redacted:private_key]', 'after API_KEY=[redacted:key_value]', 'end']);
    expect(redactions).toEqual([
      { rule: 'key_value', count: 1 },
      { rule: 'private_key', count: 1 },
    ]);
    expect((await read({ tail: 1 })).redactions).toEqual([]);
  });

  test('a key block that begins before what was read first is still seen as one', async () => {
    // Lines of a width no PEM writer uses, no END: without the BEGIN line nothing tells that they are a key.
    const body = Array.from({ length: 100 }, (_, i) => `${'k1+/'.repeat(11)}${1_000 + i}`);
    const rest = Array.from({ length: 990 }, (_, i) => `plain text of line ${i} `.padEnd(61, '.'));
    const { read, write } = hub();
    write(['start', '-----BEGIN PRIVATE KEY-----', ...body, ...rest].join('\n') + '\n');
    const { output } = await read({ tail: 1_000 });
    expect(output.lines.filter((line) => line.includes('k1+/'))).toEqual([]);
    expect(output.lines.slice(-990)).toEqual(rest);
  });

  test('a filter can not feel for a secret', async () => {
    expect(await linesOf('token=abcdef123\n', { contains: 'abc' })).toEqual([]);
    expect(await linesOf('token=abcdef123\n', { contains: 'token' })).toEqual(['token=[redacted:key_value]']);
  });

  test('a secret at the line cap', async () => {
    const [line] = await linesOf(`${'a'.repeat(LINE_CAP - 20)} password=hunter2hunter2\n`);
    expect(line).not.toContain('hunter');
  });
});

describe('field case F21: only named sources inside the roots, one refusal for all else', () => {
  const REFUSAL = {
    code: 'invalid_argument',
    message: 'No such log source, or it cannot be read.',
    details: { path: '/source' },
  };

  test.each(['nope', '../../etc/passwd', '%2e%2e/x', 'app.log\u0000.txt', 'app/../app', ''])(
    '%j',
    async (source) => {
      const { read, write } = hub();
      write('a\n');
      await expect(read({ source })).rejects.toMatchObject(REFUSAL);
    },
  );

  test.each<[string, (dir: string) => string]>([
    [
      'a link out of the root',
      (dir) => (symlinkSync('/etc/passwd', join(dir, 'log/leak.log')), 'log/leak.log'),
    ],
    ['a directory linked out', (dir) => (symlinkSync('/etc', join(dir, 'log/etc')), 'log/etc/passwd')],
    [
      'a sibling directory',
      (dir) => (
        mkdirSync(join(dir, 'log-secret')),
        writeFileSync(join(dir, 'log-secret/x'), 'a\n'),
        'log-secret/x'
      ),
    ],
    ['a missing file', () => 'log/none.log'],
    ['a directory', (dir) => (mkdirSync(join(dir, 'log/dir')), 'log/dir')],
    ['a FIFO', (dir) => (execFileSync('mkfifo', [join(dir, 'log/fifo')]), 'log/fifo')],
    ['a socket or device', (dir) => (symlinkSync('/dev/zero', join(dir, 'log/zero')), 'log/zero')],
    [
      'a binary file',
      (dir) => (writeFileSync(join(dir, 'log/bin'), Buffer.from([0x7f, 0x45, 0, 1, 2])), 'log/bin'),
    ],
    ['a link loop', (dir) => (symlinkSync('loop', join(dir, 'log/loop')), 'log/loop')],
  ])('%s', async (_name, make) => {
    const { read } = hub((dir) =>
      [{ name: 'app', kind: 'file', path: join(dir, make(dir)) }].map((s) => ({
        ...s,
        kind: 'file' as const,
      })),
    );
    await expect(read()).rejects.toMatchObject(REFUSAL);
  });

  test('one NUL in a log hides nothing that follows it', async () => {
    const { read } = hub((dir) => {
      writeFileSync(join(dir, 'log/app.log'), Buffer.from('before\na\0b\nok line\n'));
      return [{ name: 'app', kind: 'file' as const, path: join(dir, 'log/app.log') }];
    });
    const { output, complete } = await read();
    expect([output.lines, complete]).toEqual([['ok line'], false]);
  });

  test('a link that stays inside is followed', async () => {
    const { read, write, dir } = hub((at) => [{ name: 'app', kind: 'file', path: join(at, 'log/current') }]);
    write('a\n', 'log/real.log');
    symlinkSync('real.log', join(dir, 'log/current'));
    expect((await read()).output.lines).toEqual(['a']);
  });
});

test('a hole before the text is not shown, and the answer is not complete', async () => {
  const { read, write } = hub();
  write(Buffer.concat([Buffer.alloc(70_000), Buffer.from(`\n${'line of text\n'.repeat(6_000)}`)]));
  const { output } = await read({ tail: 1_000, contains: 'line' });
  expect(output).toMatchObject({ count: 1_000, complete: false });
});

test('the captured output of a service, incomplete once an older file was set aside', async () => {
  const { read, write } = hub(() => [{ name: 'app', kind: 'service', service: 'web' }]);
  write('up\n', 'data/logs/web.log');
  expect((await read()).output).toMatchObject({ lines: ['up'], complete: true });
  write('old\n', 'data/logs/web.log.1');
  expect((await read()).output).toMatchObject({ lines: ['up'], complete: false });
});
