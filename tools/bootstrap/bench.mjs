// npm run bench -- [rounds] [seconds]: builds, then measures calls. npm run bench -- revocation [revocations]: how fast a lease ends.
// npm run bench -- policy [rounds]: one decision, cold and remembered.
import { pathToFileURL } from 'node:url';
import { installMissing, requireNode } from './prepare.mjs';

requireNode();
process.chdir(new URL('../..', import.meta.url).pathname);
installMissing();
const { buildApps } = await import('./build.mjs');
await buildApps();
const own = ['revocation', 'policy'].includes(process.argv[2]) ? process.argv[2] : null;
if (own) process.argv.splice(2, 1);
await import(pathToFileURL(`dist/tools/bench/${own ?? 'main'}.mjs`).href);
