// npm start: the zone in one process. Plain JavaScript, so that an old Node reads it far enough to be told.
import { pathToFileURL } from 'node:url';
import { installMissing, requireNode } from './prepare.mjs';

requireNode();
process.chdir(new URL('../..', import.meta.url).pathname);
installMissing();
const { buildApps } = await import('./build.mjs');
const { buildConsole } = await import('./console.mjs');
if (process.env.ZONE_CONFORMANCE === '1') {
  // With the fixtures of the MCP conformance suite: for tests, in a bundle of its own.
  const { buildConformance, OUTDIR } = await import('../conformance/build.mjs');
  await Promise.all([buildConformance(), buildConsole()]);
  await import(pathToFileURL(`${OUTDIR}/main.mjs`).href);
} else {
  await Promise.all([buildApps({ names: ['apps/zone/main'] }), buildConsole()]);
  await import(pathToFileURL('dist/apps/zone/main.mjs').href);
}
