// npm start: the zone in one process. Plain JavaScript, so that an old Node reads it far enough to be told.
import { pathToFileURL } from 'node:url';
import { installMissing, requireNode } from './prepare.mjs';

requireNode();
process.chdir(new URL('../..', import.meta.url).pathname);
installMissing();
const { buildApps } = await import('./build.mjs');
const { buildConsole } = await import('./console.mjs');
await Promise.all([buildApps({ names: ['apps/zone/main'] }), buildConsole()]);
await import(pathToFileURL('dist/apps/zone/main.mjs').href);
