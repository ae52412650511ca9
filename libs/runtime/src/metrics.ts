import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import type { Stop } from './module.js';

/**
 * Serves `/metrics` (Prometheus) on a port of its own, nothing else. What it tells is nobody's secret and still not for strangers: how
 * busy a zone is, which parts are away. So it never shares the port of clients, and listens on loopback unless told otherwise.
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  registry: Registry,
): Promise<Stop> {
  if (port === 0) return async () => undefined;
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    registry.metrics().then(
      (text) =>
        response
          .writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' })
          .end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.requestTimeout = 5_000;
  server.maxConnections = 32;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(`METRICS_PORT: could not listen on ${host}:${port} (${error.code ?? 'unknown fault'}).`),
      ),
    );
    server.listen(port, host, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
}
