import { describe, expect, test } from '@jest/globals';
import { adaosctl } from './fixture/terminal.js';

const run = (line: string) => adaosctl(null, line, { env: {} });

describe('help', () => {
  test('names every command, the connection and the exit codes', async () => {
    const { code, out, err } = await run('--help');
    expect([code, err]).toEqual([0, '']);
    for (const text of ['zone', 'targets', 'lease', 'tools', 'events', 'ADAOS_TOKEN', 'Exit codes:', '130']) {
      expect(out).toContain(text);
    }
  });

  test.each([
    ['zone', ['status']],
    ['targets', ['list', 'show', 'register', 'skill']],
    ['lease', ['issue', 'list', 'revoke']],
    ['tools', ['list', 'show', 'call']],
    ['events', ['tail', 'show']],
  ])('of %s', async (noun, verbs) => {
    const { code, out } = await run(`${noun} --help`);
    expect(code).toBe(0);
    for (const verb of verbs) expect(out).toMatch(new RegExp(`^  ${verb} `, 'm'));
  });

  test('fits the terminal', async () => {
    const { out } = await adaosctl(null, 'lease issue --help', { env: {}, columns: 80 });
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('--version', async () => expect(await run('--version')).toEqual({ code: 0, out: '0.0.0\n', err: '' }));
});

describe('wrong usage ends with 2 and says what to do', () => {
  test.each([
    ['targets lisst', "error: Unknown command 'lisst'.\n  next    Did you mean list?\n"],
    ['lease issue demo', "error: Required option '--profile <name>' not specified.\n"],
    ['lease issue demo --profile X --ttl 5s', 'A lease lives from 60s to 30d.\n'],
    ['lease issue demo --profile X --ttl soon', 'Write a duration like 30s, 90m, 4h or 2d.\n'],
    ['lease issue hub:a.b --profile X', 'A target is hub:<id>, the id of letters, digits, _ and -.\n'],
    [
      'lease issue demo --profile X --client emacs',
      'Allowed choices are codex, claude-code, vscode, cursor, inspector.\n',
    ],
    ['targets list --limit 0', 'Write a whole number from 1 to 10000.\n'],
    ['targets skill demo on', 'Allowed choices are enabled, disabled, installed, missing.\n'],
    ['events tail --since yesterday', 'Write a time like 2026-10-01T12:00:00Z, or how long ago, like 2h.\n'],
    ['tools call x --request-id a/b', 'A request id is up to 128 letters, digits and . _ : -.\n'],
  ])('%s', async (line, message) => {
    const { code, out, err } = await run(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).toContain('\n  next    ');
  });

  test('without a command there is help', async () => {
    const { code, out, err } = await run('');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('Usage: adaosctl');
    expect(err).toContain('error: Name a command.\n');
  });

  test('with --json it is one document', async () => {
    const { code, out, err } = await run('targets list --limit 0 --json');
    expect([code, err]).toEqual([2, '']);
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'usage' } });
  });
});
