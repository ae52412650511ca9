// npm run bench -- [rounds] [seconds]: builds, then measures.
import { pathToFileURL } from 'node:url';
import { installMissing, requireNode } from './prepare.mjs';

requireNode();
process.chdir(new URL('../..', import.meta.url).pathname);
installMissing();
const { buildApps } = await import('./build.mjs');
await buildApps();
await import(pathToFileURL('dist/tools/bench/main.mjs').href);
