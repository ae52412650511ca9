import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { probeTcp } from './tcp-probe.js';

jest.setTimeout(30_000);
const never = new AbortController().signal;
const open: Server[] = [];
async function listen(host: string): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

test.each(['127.0.0.1', '::1'])('localhost reaches a port on %s only', async (host) => {
  const port = await listen(host);
  const result = await probeTcp({ host: 'localhost', port, timeout_ms: 2_000 }, never);
  expect(result).toMatchObject({
    ok: true,
    status: 'ok',
    reason: null,
    evidence: { host: 'localhost', port, address: host },
  });
});

test('an IPv6 literal may stand in brackets', async () => {
  const port = await listen('::1');
  expect(await probeTcp({ host: '[::1]', port, timeout_ms: 2_000 }, never)).toMatchObject({ ok: true });
});

test('a closed port is refused', async () => {
  const port = await listen('127.0.0.1');
  await new Promise((resolve) => open.pop()!.close(resolve));
  const result = await probeTcp({ host: 'localhost', port, timeout_ms: 2_000 }, never);
  expect(result).toMatchObject({ ok: false, status: 'failed', reason: 'connection refused' });
});

test('silence is a timeout, and an aborted caller is not kept', async () => {
  // 192.0.2.0/24 (RFC 5737) leads nowhere; where the network refuses it at once the bound isn't needed.
  const silent = await probeTcp({ host: '192.0.2.1', port: 9, timeout_ms: 100 }, never);
  expect(silent.ok).toBe(false);
  expect(silent.latency_ms).toBeLessThan(2_000);
  expect(
    await probeTcp({ host: '127.0.0.1', port: 9, timeout_ms: 5_000 }, AbortSignal.abort()),
  ).toMatchObject({
    status: 'timeout',
  });
});
