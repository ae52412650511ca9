import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { adaosctl, emptyFolder } from '../fixture/terminal.js';

const GUIDE = readFileSync(new URL('../../../../docs/guides/write-a-policy.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((match) => match[1]!);

/** What grows with every tool of the build, and the space that it takes. */
const plain = (text: string) =>
  text
    .replace(/revision [0-9a-f]{12}/, 'revision …')
    .replace(/: \d+ of \d+ calls/, ': … of … calls')
    .replace(/\d+$/gm, '…')
    .replace(/ {2,}/g, '  ');

test('the worked example of the guide is what the commands answer', async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, 'lab.cedar'), blocks('cedar')[0]!);
  writeFileSync(join(cwd, 'cases.yaml'), blocks('yaml')[0]!);
  const commands = blocks('sh').flatMap((block) => block.trim().split('\n'));
  const offline = commands.filter((line) => line.includes('--policies'));
  const told = blocks('text');
  expect(offline).toHaveLength(told.length);
  for (const [n, line] of offline.entries()) {
    const { out, err } = await adaosctl(null, line.replace('npx adaosctl ', ''), {
      cwd,
      env: { NO_COLOR: '1' },
    });
    expect([plain(out), err]).toEqual([plain(told[n]!), '']);
  }
}, 120_000);
