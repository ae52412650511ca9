// npm run start:split: brings up what is missing of PostgreSQL, NATS and Redis, then every service as its own process.
import { pathToFileURL } from 'node:url';
import { installMissing, requireNode } from './prepare.mjs';

requireNode();
process.chdir(new URL('../..', import.meta.url).pathname);
installMissing();
const { up } = await import('../services/up.mjs');
const { ok, settings } = await up(['nats', 'redis', 'postgres'], {
  say: (line) => console.error(`  ${line}`),
});
if (!ok) process.exit(1);
Object.assign(process.env, settings);
const { buildApps } = await import('./build.mjs');
const { buildConsole } = await import('./console.mjs');
await Promise.all([buildApps(), buildConsole()]);
await import(pathToFileURL('dist/tools/split/main.mjs').href);
