import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { Log } from '@adaos/runtime';
import { openSkill } from './skill.js';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

test('of words that come at once the last is what a restart finds', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skill-'));
  dirs.push(dir);
  const errors: unknown[] = [];
  const log = { info: () => undefined, error: (fields: unknown) => errors.push(fields) } as unknown as Log;
  const skill = await openSkill(dir, log);
  for (let round = 0; round < 20; round++) {
    const words = ['enabled', 'installed', 'enabled', 'disabled'];
    await Promise.all(words.map((word) => skill.adopt(word)));
    expect(JSON.parse(readFileSync(join(dir, 'skill.json'), 'utf8'))).toEqual({ state: 'disabled' });
  }
  expect(errors).toEqual([]);
  expect((await openSkill(dir, log)).view().state).toBe('disabled');
});

test('a word that could not be kept holds up none that comes after it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skill-'));
  const errors: unknown[] = [];
  const log = { info: () => undefined, error: (fields: unknown) => errors.push(fields) } as unknown as Log;
  const skill = await openSkill(dir, log);
  rmSync(dir, { recursive: true });
  dirs.push(dir);
  expect([await skill.adopt('enabled'), await skill.adopt('disabled')]).toEqual([true, true]);
  expect([errors.length, skill.view().state]).toEqual([2, 'disabled']);
});
