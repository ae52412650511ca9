import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { silentLog } from '@adaos/runtime';
import { until } from '../until.fixture.js';
import { lockDataDir } from './data-dir-lock.js';
import { endLeftovers, ownerOf, writePidFile } from './pid-file.js';
import { identityOf, OWNER_VARIABLE, statOf } from './process-identity.js';

jest.setTimeout(30_000);
const dirs: string[] = [];
const children: ChildProcess[] = [];
const makeDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'pid-'));
  dirs.push(dir);
  return dir;
};
function run(script: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  children.push(child);
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return { child, pid: child.pid!, printed: () => printed };
}
const isGone = (pid: number) => [null, 'Z'].includes(statOf(pid)?.state ?? null);
const IDLE = 'setInterval(() => {}, 1000)';

afterEach(() => {
  for (const { pid } of children.splice(0)) {
    try {
      process.kill(-pid!, 'SIGKILL');
    } catch {
      // already gone
    }
  }
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

test('a process a killed agent left is ended at the next start', async () => {
  const dir = makeDir();
  const { pid } = run(IDLE);
  writePidFile(dir, 'web', pid);
  await endLeftovers(dir, silentLog);
  await until(() => isGone(pid));
  expect(existsSync(join(dir, 'web.pid'))).toBe(false);
});

test('a pid that now belongs to another process is left alone', async () => {
  const dir = makeDir();
  const { pid } = run(IDLE);
  const identity = identityOf(pid)!;
  writeFileSync(
    join(dir, 'web.pid'),
    JSON.stringify({ ...identity, start_ticks: String(Number(identity.start_ticks) - 1) }),
  );
  writeFileSync(join(dir, 'boot.pid'), JSON.stringify({ ...identity, boot_id: 'another boot' }));
  writeFileSync(join(dir, 'cut.pid'), JSON.stringify(identity).slice(0, 20));
  writeFileSync(join(dir, 'one.pid'), JSON.stringify({ ...identity, pid: 1 }));
  await endLeftovers(dir, silentLog);
  expect(statOf(pid)!.state).not.toBe('Z');
  expect(existsSync(join(dir, 'web.pid'))).toBe(false);
});

test('children whose leader is gone are found by the output they share; others of that group number are not', async () => {
  const dir = makeDir();
  // One child keeps the output of its leader, the other has given it up and could be anybody's.
  const { child, pid, printed } = run(
    `const cp = require('child_process');
     const a = cp.spawn('/bin/sleep', ['300'], { stdio: ['ignore', 'inherit', 'inherit'] });
     const b = cp.spawn('/bin/sleep', ['300'], { stdio: 'ignore' });
     console.log(a.pid + ' ' + b.pid); ${IDLE}`,
  );
  writePidFile(dir, 'web', pid);
  const [kept, strange] = (await until(() => /^(\d+) (\d+)\n/.exec(printed()))).slice(1).map(Number) as [
    number,
    number,
  ];
  child.kill('SIGKILL');
  await until(() => isGone(pid));
  await endLeftovers(dir, silentLog);
  expect(isGone(kept)).toBe(true);
  expect(isGone(strange)).toBe(false);
});

test('a data directory has one agent; the lock of a dead one is taken over', () => {
  const dir = makeDir();
  const release = lockDataDir(dir);
  expect(() => lockDataDir(dir)).toThrow(`another agent (pid ${process.pid}) uses the data directory`);
  release();
  lockDataDir(dir)();
  const held = { ...identityOf(process.pid)!, start_ticks: '1' };
  writeFileSync(join(dir, 'agent.lock'), JSON.stringify(held));
  lockDataDir(dir);
  expect(JSON.parse(readFileSync(join(dir, 'agent.lock'), 'utf8'))).toMatchObject({ pid: process.pid });
});

test('a child that no file names is ended by whose it is, and nobody else’s', async () => {
  const [dir, other] = [makeDir(), makeDir()];
  const mine = run(IDLE, { [OWNER_VARIABLE]: ownerOf(dir) });
  const theirs = run(IDLE, { [OWNER_VARIABLE]: ownerOf(other) });
  const plain = run(IDLE);
  await endLeftovers(dir, silentLog);
  expect([mine, theirs, plain].map(({ pid }) => isGone(pid))).toEqual([true, false, false]);
});
