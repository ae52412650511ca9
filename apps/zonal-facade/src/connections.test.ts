import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { AUTH, JSON_TYPE, startFacade, type FacadeUnderTest } from './fixtures/facade.js';
import { openSocket, rawText } from './fixtures/raw.js';
import { until } from './fixtures/until.js';

let facade: FacadeUnderTest | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await facade?.stop();
  facade = undefined;
});

const open = async (from: string, text = '') => {
  const socket = await openSocket(facade!.urls.root_url, from, text);
  sockets.push(socket);
  return socket;
};
const count = async (name: string) =>
  Number(new RegExp(`^${name} (\\d+)`, 'm').exec(await facade!.metrics())?.[1] ?? 0);
const HALF = 'POST /v1/root/mcp/call HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A:';

describe('connections that say nothing', () => {
  test('2,000 half-open ones of one address: another client’s calls all succeed', async () => {
    facade = await startFacade();
    for (let batch = 0; batch < 20; batch++) {
      await Promise.all(Array.from({ length: 100 }, () => open('127.0.0.2', HALF)));
      const got = await facade.legacy('tools/call', { name: 'hub_get_status' });
      expect(got.status).toBe(200);
    }
    await until(async () => (await count('adaos_facade_connections')) <= 512);
    expect(await count('adaos_facade_connections_dropped_total\\{reason="address"\\}')).toBe(2_000 - 512);
    const calls = await Promise.all(
      Array.from({ length: 50 }, (_, id) => facade!.legacy('tools/call', { name: 'hub_get_status' }, id)),
    );
    expect(calls.map(({ status }) => status)).toEqual(Array(50).fill(200));
  }, 60_000);

  test('also a neighbour behind the same address gets in: the oldest silent one makes room', async () => {
    facade = await startFacade({ bounds: { connections_per_address: 20 } });
    const first = await open('127.0.0.1', HALF);
    const gone = once(first, 'close');
    for (let i = 0; i < 30; i++) await open('127.0.0.1', HALF);
    await gone;
    expect((await facade.legacy('tools/call', { name: 'hub_get_status' })).status).toBe(200);
  });

  test('many addresses at the total: who is being served stays, the oldest silent one goes', async () => {
    facade = await startFacade({ bounds: { connections: 40, connections_per_address: 20 } });
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    facade.router.answer('hub.get_status', async () => (await held, { result: {} }));
    const slow = facade.legacy('tools/call', { name: 'hub_get_status' });
    await facade.router.until('router_call');
    for (let i = 0; i < 100; i++) await open(`127.0.0.${10 + (i % 10)}`, HALF);
    expect((await facade.http('/healthz')).status).toBe(200);
    release();
    expect((await slow).status).toBe(200);
    expect(await count('adaos_facade_connections')).toBeLessThanOrEqual(40);
    expect(await count('adaos_facade_connections_dropped_total\\{reason="total"\\}')).toBeGreaterThan(50);
  });

  test('when all of an address are being served one more is not taken', async () => {
    facade = await startFacade({ bounds: { connections_per_address: 3, body_timeout_ms: 5_000 } });
    const host = new URL(facade.urls.root_url).host;
    const head = `POST /v1/root/mcp HTTP/1.1\r\nHost: ${host}\r\n${JSON_TYPE.join(': ')}\r\n${AUTH.join(': ')}\r\nContent-Length: 9\r\n\r\n`;
    for (let i = 0; i < 3; i++) await open('127.0.0.1', head);
    await until(async () => (await count('adaos_facade_in_flight')) === 3);
    expect(await rawText(facade.urls.root_url, 'GET /healthz HTTP/1.1\r\n\r\n').catch(() => '')).toBe('');
    sockets.splice(0).forEach((socket) => socket.destroy());
    await until(async () => (await facade!.http('/healthz').catch(() => ({ status: 0 }))).status === 200);
  });

  test('our own proxy carries everybody, so only the total counts for it', async () => {
    facade = await startFacade({
      config: { TRUST_PROXY: '127.0.0.2' },
      bounds: { connections: 100, connections_per_address: 5 },
    });
    const carried = await Promise.all(Array.from({ length: 50 }, () => open('127.0.0.2', HALF)));
    await until(async () => (await count('adaos_facade_connections')) === 50);
    expect(carried.every((socket) => !socket.destroyed)).toBe(true);
  });
});

describe('requests at once of one address', () => {
  test('half of the room is left to others; probes answer', async () => {
    facade = await startFacade({
      config: { TRUST_PROXY: '127.0.0.1' },
      bounds: { in_flight: 6, in_flight_per_address: 3 },
    });
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    facade.router.answer('hub.get_status', async () => (await held, { result: {} }));
    const from = (address: string) => [['X-Forwarded-For', address] as const];
    const call = (address: string, id: number) =>
      facade!.legacy('tools/call', { name: 'hub_get_status' }, id, from(address));
    const slow = [1, 2, 3].map((id) => call('203.0.113.1', id));
    await facade.router.until('router_call', 3);
    const over = await call('203.0.113.1', 4);
    expect([over.status, over.headers['retry-after'], over.json.error]).toEqual([
      429,
      '1',
      {
        code: 'concurrency_limited',
        message: expect.any(String),
        details: { scope: 'address', retry_after_ms: 1_000 },
      },
    ]);
    expect((await facade.http('/healthz', { headers: from('203.0.113.1') })).status).toBe(200);
    const others = [5, 6, 7].map((id) => call('203.0.113.2', id));
    await facade.router.until('router_call', 6);
    expect((await call('203.0.113.3', 8)).status).toBe(503);
    release();
    expect((await Promise.all([...slow, ...others])).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await count('adaos_facade_refused_total\\{reason="busy_address"\\}')).toBe(1);
    await until(async () => (await call('203.0.113.1', 9)).status === 200);
  });
});
