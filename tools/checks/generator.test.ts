import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ROOT } from './sources.js';

const NAME = 'stamped-sample';
const DIR = join(ROOT, 'dist', 'stamped', NAME);

describe('generator', () => {
  afterAll(() => rmSync(join(ROOT, 'dist', 'stamped'), { recursive: true, force: true }));

  test('a stamped service type-checks as it stands', async () => {
    const { projectFiles } = (await import('../generators/project.mjs')) as {
      projectFiles: (kind: string, name: string) => Record<string, string>;
    };
    for (const [path, text] of Object.entries(projectFiles('app', NAME))) {
      mkdirSync(dirname(join(DIR, path)), { recursive: true });
      // It stands one folder deeper than an app would.
      writeFileSync(
        join(DIR, path),
        text
          .replaceAll('../../libs', '../../../libs')
          .replaceAll('../../tsconfig', '../../../tsconfig')
          .replaceAll('../../dist', '../types-stamped'),
      );
    }
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/tsc7/bin/tsc'), '-b', DIR],
      { encoding: 'utf8' },
    );
    expect([stdout, status]).toEqual(['', 0]);
  }, 120_000);
});
