import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { event } from './fixture/records.js';
import { sample } from './fixture/sample.js';
import { emptyFolder } from './fixture/terminal.js';
import { startFixtureZone, TOKEN, type FixtureZone } from './fixture/zone.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const OUT = 'dist/test-cli';
const PROGRAM = `${ROOT}${OUT}/apps/cli/main.mjs`;
let zone: FixtureZone;

beforeAll(async () => {
  const build = `import('./tools/bootstrap/build.mjs').then((m) => m.buildApps({ names: ['apps/cli/main'], outdir: '${OUT}' }))`;
  execFileSync(process.execPath, ['-e', build], { cwd: ROOT });
  zone = await startFixtureZone(sample());
}, 60_000);
afterAll(() => zone.close());

interface Process {
  readonly out: () => string;
  readonly done: Promise<{ code: number | null; signal: string | null; out: string; err: string }>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly closeOut: () => void;
}

function start(line: string, env: Record<string, string> = {}, program = PROGRAM): Process {
  const child = spawn(process.execPath, [program, ...line.split(' ')], {
    cwd: emptyFolder(),
    env: { ADAOS_URL: zone.url, ADAOS_TOKEN: TOKEN, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  return {
    out: () => out,
    done: new Promise((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal, out, err })),
    ),
    kill: (signal) => void child.kill(signal),
    closeOut: () => child.stdout.destroy(),
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('the program', () => {
  test('prints, ends with 0 and leaves nothing open', async () => {
    const { code, out, err } = await start('targets list').done;
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('hub:rack-07-integration  staging');
  });

  test.each([
    ['targets show nope', {}, 1],
    ['targets nope', {}, 2],
    ['targets list', { ADAOS_TOKEN: 'adm_wrong' }, 3],
    ['targets list', { ADAOS_URL: 'http://127.0.0.1:1' }, 4],
  ])('%s %j ends with %d and no stack', async (line, env, code) => {
    const ran = await start(line, env).done;
    expect(ran).toMatchObject({ code, out: '', err: expect.stringMatching(/^error: .*\n {2}next /s) });
    expect(ran.err).not.toMatch(/^ +at |adm_/m);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends events tail -f with 0', async (signal) => {
    const tail = start('events tail -f --json --every 20ms');
    await until(() => tail.out().split('\n').length > zone.events.length);
    zone.events.push(event(zone.events.length + 1));
    await until(() => tail.out().split('\n').length > zone.events.length);
    tail.kill(signal);
    const { code, out, err } = await tail.done;
    expect([code, err]).toEqual([0, '']);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((text) => (JSON.parse(text) as { seq: number }).seq),
    ).toEqual(zone.events.map(({ seq }) => seq));
  });

  test('SIGINT ends another command with 130', async () => {
    zone.intercept = ({ url }) => (url.includes('/targets') ? 'hang' : undefined);
    const before = zone.seen.length;
    const list = start('targets list');
    await until(() => zone.seen.length > before);
    list.kill('SIGINT');
    expect(await list.done).toMatchObject({ code: 130, out: '', err: 'error: Interrupted.\n' });
    zone.intercept = () => undefined;
  });

  test('a closed pipe is no failure', async () => {
    const tail = start('events tail -f --every 20ms -n 0');
    await until(() => tail.out() !== '');
    tail.closeOut();
    zone.events.push(event(zone.events.length + 1));
    expect(await tail.done).toMatchObject({ code: 0, err: '' });
  });

  test('starts by its launcher', async () => {
    const launcher = `${ROOT}apps/cli/bin/adaosctl.mjs`;
    expect(await start('--version', {}, launcher).done).toMatchObject({ code: 0, out: '0.1.0\n', err: '' });
  }, 30_000);
});
