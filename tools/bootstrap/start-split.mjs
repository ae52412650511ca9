// npm run start:split: brings up what is missing of PostgreSQL, NATS and Redis, then every service as its own process.
import { pathToFileURL } from 'node:url';
import { installMissing, requireNode } from './prepare.mjs';

requireNode();
process.chdir(new URL('../..', import.meta.url).pathname);
installMissing();
const { bringUp } = await import('../services/up.mjs');
Object.assign(
  process.env,
  await bringUp({
    nats: process.env.NATS_URL,
    redis: process.env.REDIS_URL,
    postgres: process.env.DATABASE_URL,
  }),
);
const { buildApps } = await import('./build.mjs');
await buildApps();
await import(pathToFileURL('dist/tools/split/main.mjs').href);
