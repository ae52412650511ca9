#!/usr/bin/env node
// Starts the bundle; in a fresh clone it is built first. The working folder stays the caller's: connection.json is looked up there.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);
const bundle = new URL('dist/apps/cli/main.mjs', root);
if (!existsSync(bundle)) {
  const cwd = process.cwd();
  process.chdir(fileURLToPath(root));
  const { buildApps } = await import(new URL('tools/bootstrap/build.mjs', root).href);
  await buildApps({ names: ['apps/cli/main'] });
  process.chdir(cwd);
}
module.enableCompileCache?.();
await import(bundle.href);
