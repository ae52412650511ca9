// npm run bench -- [rounds] [seconds]: builds, then measures calls. npm run bench -- revocation [revocations]: how fast a lease ends.
import { pathToFileURL } from 'node:url';
import { installMissing, requireNode } from './prepare.mjs';

requireNode();
process.chdir(new URL('../..', import.meta.url).pathname);
installMissing();
const { buildApps } = await import('./build.mjs');
await buildApps();
const revocation = process.argv[2] === 'revocation';
if (revocation) process.argv.splice(2, 1);
await import(pathToFileURL(`dist/tools/bench/${revocation ? 'revocation' : 'main'}.mjs`).href);
