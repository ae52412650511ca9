// Writes docs/reference/ and the client snippets of README.md from the sources; tools/checks/docs.test.ts fails on what differs.
//   node tools/generators/reference.mjs            writes
//   node tools/generators/reference.mjs --json     prints { path: text } and writes nothing
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorsPage } from './reference/errors-page.mjs';
import { eventsPage } from './reference/events-page.mjs';
import { loadSources, ROOT, textOf } from './reference/load.mjs';
import { policiesPage } from './reference/policies-page.mjs';
import { profilesPage } from './reference/profiles-page.mjs';
import { settingsPage } from './reference/settings-page.mjs';
import { withSnippets } from './reference/snippets.mjs';
import { subjectsPage } from './reference/subjects-page.mjs';
import { toolsPage } from './reference/tools-page.mjs';

/** Pages written by hand that hold client configurations. */
const WITH_SNIPPETS = ['README.md', 'docs/guides/connect-a-client.md'];

/** Every generated file by its path. */
export async function referencePages() {
  const sources = await loadSources();
  const pages = {
    'docs/reference/errors.md': errorsPage(sources),
    'docs/reference/tools.md': toolsPage(sources),
    'docs/reference/profiles.md': profilesPage(sources),
    'docs/reference/subjects.md': subjectsPage(sources),
    'docs/reference/events.md': eventsPage(sources),
    'docs/reference/settings.md': settingsPage(sources),
    'docs/reference/policies.md': policiesPage(),
  };
  if (sources.openapi)
    pages['docs/reference/openapi.json'] = `${JSON.stringify(sources.openapi.openApi(), null, 2)}\n`;
  for (const path of WITH_SNIPPETS)
    if (existsSync(join(ROOT, path))) pages[path] = withSnippets(sources, textOf(path));
  return pages;
}

if (process.argv[1]?.endsWith('reference.mjs')) {
  const pages = await referencePages();
  if (process.argv.includes('--json')) process.stdout.write(JSON.stringify(pages));
  else {
    for (const [path, text] of Object.entries(pages)) {
      const file = join(ROOT, path);
      if (existsSync(file) && textOf(path) === text) continue;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      console.log(`wrote ${path}`);
    }
  }
}
