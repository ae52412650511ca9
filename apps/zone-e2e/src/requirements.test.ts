import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { REQUIREMENTS } from './requirements.js';
import { REPO } from './zone-under-test.js';

describe('requirements', () => {
  test('every must has a test that exists under its title', () => {
    const uncited = REQUIREMENTS.filter(({ file, title }) => {
      try {
        return !readFileSync(join(REPO, file), 'utf8').includes(title);
      } catch {
        return true;
      }
    });
    expect(uncited.map(({ id, file, title }) => `${id}: ${file} has no "${title}"`)).toEqual([]);
  });

  test('ids are unique', () => {
    expect(new Set(REQUIREMENTS.map((r) => r.id)).size).toBe(REQUIREMENTS.length);
  });
});
