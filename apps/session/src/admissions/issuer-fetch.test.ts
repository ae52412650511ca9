import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { issuerFetch } from './issuer-fetch.js';

const servers: Server[] = [];
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
const AWAY = { code: 'dependency_unavailable' };

describe('the way to an issuer', () => {
  test('does not follow where it is sent', async () => {
    let led = 0;
    const inside = await serve((_req, res) => {
      led++;
      res.end('{}');
    });
    const url = await serve((_req, res) => res.writeHead(302, { location: inside }).end());
    expect((await issuerFetch(url, {})).status).toBe(302);
    expect(led).toBe(0);
  });

  test.each([
    'http://192.0.2.1/jwks',
    'http://metadata.internal/',
    'file:///etc/passwd',
    'https://a:b@x.example.org/',
    'nonsense',
  ])('does not go to %s', async (url) => expect(issuerFetch(url, {})).rejects.toMatchObject(AWAY));

  test('reads no more than it can need', async () => {
    const url = await serve((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (res.write('x'.repeat(65_536)));
        res.once('drain', more);
      };
      more();
    });
    await expect(issuerFetch(url, {})).rejects.toMatchObject(AWAY);
  });

  test('waits three seconds for the whole of it', async () => {
    const url = await serve((_req, res) => void res.writeHead(200).write('{'));
    const began = Date.now();
    await expect(issuerFetch(url, {})).rejects.toMatchObject(AWAY);
    expect(Date.now() - began).toBeLessThan(6_000);
  });

  test.each([500, 503, 429])('%d is an issuer that is away', async (status) => {
    const url = await serve((_req, res) => res.writeHead(status).end());
    await expect(issuerFetch(url, {})).rejects.toMatchObject(AWAY);
  });
});
