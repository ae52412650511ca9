import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { until } from '@adaos/testing';
import { createFleet } from './fleet.js';

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'fleet-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A member that notes that it is up, and every signal it gets; SIGTERM ends it. */
function member(name: string) {
  const script = join(dir, `${name}.mjs`);
  const notes = join(dir, `${name}.notes`);
  writeFileSync(
    script,
    `import { appendFileSync } from 'node:fs';
     const note = (line) => appendFileSync(${JSON.stringify(notes)}, line + '\\n');
     process.on('SIGINT', () => note('SIGINT'));
     process.on('SIGTERM', () => { note('SIGTERM'); process.exit(0); });
     setInterval(() => {}, 1_000);
     note('up');`,
  );
  return { name, script, env: {}, notes };
}
const up = (m: { name: string; notes: string }) =>
  until(`${m.name} to be up`, () => existsSync(m.notes) || undefined);
const pids = () => JSON.parse(readFileSync(join(dir, 'processes.json'), 'utf8')) as Record<string, number>;
const groupOf = (pid: number) =>
  Number(spawnSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).stdout);

test('each member leads a process group of its own, so that Ctrl-C in the terminal does not reach it', async () => {
  const fleet = createFleet(dir);
  const members = [member('a'), member('b')];
  for (const m of members) fleet.start(m);
  try {
    for (const m of members) await up(m);
    for (const pid of Object.values(pids())) expect(groupOf(pid)).toBe(pid);
  } finally {
    await fleet.stop();
  }
});

test('a stop ends all of them, each asked once', async () => {
  const fleet = createFleet(dir);
  const members = [member('a'), member('b')];
  for (const m of members) fleet.start(m);
  for (const m of members) await up(m);
  const ended = Object.values(pids());
  await fleet.stop();
  for (const pid of ended) expect(() => process.kill(pid, 0)).toThrow();
  for (const m of members) expect(readFileSync(m.notes, 'utf8')).toBe('up\nSIGTERM\n');
});
