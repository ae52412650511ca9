import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Counter, Registry } from 'prom-client';
import { serveMetrics } from './metrics.js';
import type { Stop } from './module.js';

let stop: Stop | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

const freePort = () =>
  new Promise<number>((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });

describe('/metrics', () => {
  test('is served on its own port and address, nothing else is', async () => {
    const registry = new Registry();
    new Counter({ name: 'adaos_test_total', help: 'A test', registers: [registry] }).inc(3);
    const port = await freePort();
    stop = await serveMetrics({ host: '127.0.0.1', port }, registry);
    const got = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(got.headers.get('content-type')).toContain('text/plain');
    expect(await got.text()).toContain('adaos_test_total 3');
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  test('port 0 serves none, a taken one is named', async () => {
    stop = await serveMetrics({ host: '127.0.0.1', port: 0 }, new Registry());
    await stop();
    const port = await freePort();
    stop = await serveMetrics({ host: '127.0.0.1', port }, new Registry());
    await expect(serveMetrics({ host: '127.0.0.1', port }, new Registry())).rejects.toThrow(
      `METRICS_PORT: could not listen on 127.0.0.1:${port} (EADDRINUSE).`,
    );
  });
});
