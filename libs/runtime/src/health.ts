import { createServer } from 'node:http';
import type { Stop } from './module.js';

/** Serves `/healthz` (the process answers) and `/readyz` (it can do its work) for orchestrators, on all interfaces, nothing else. */
export async function serveHealth(port: number, ready: () => Promise<boolean>): Promise<Stop> {
  if (port === 0) return async () => undefined;
  const server = createServer((request, response) => {
    const answer = (ok: boolean) =>
      response.writeHead(ok ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify({ ok }));
    if (request.url === '/healthz') answer(true);
    else if (request.url === '/readyz') ready().then(answer, () => answer(false));
    else response.writeHead(404).end();
  });
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  return () => new Promise((resolve) => server.close(() => resolve()));
}
