import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startFacade, type FacadeUnderTest, type Header } from './fixtures/facade.js';

let facade: FacadeUnderTest;
let port: string;
beforeAll(async () => {
  facade = await startFacade({
    config: {
      PUBLIC_URL: 'https://mcp.zone.example',
      ALLOWED_HOSTS: 'edge.internal:8443, other.internal',
      ALLOWED_ORIGINS: 'http://localhost:6274',
    },
  });
  port = new URL(facade.urls.root_url).port;
});
afterAll(() => facade.stop());

const PATHS = [
  'POST /v1/root/mcp',
  'GET /v1/root/mcp',
  'DELETE /v1/root/mcp',
  'GET /v1/root/mcp/targets',
  'GET /healthz',
  'GET /nowhere',
];
const ask = (line: string, headers: readonly Header[]) => {
  const [method = '', path = ''] = line.split(' ');
  return facade.http(path, { method, headers, ...(method === 'POST' && { body: '{}' }) });
};

describe('F05 Origin and Host', () => {
  const bad: [string, () => Header[]][] = [
    ['a foreign origin', () => [['Origin', 'http://evil.example']]],
    ['the null origin', () => [['Origin', 'null']]],
    ['an origin that begins like ours', () => [['Origin', `http://127.0.0.1.evil.example:${port}`]]],
    ['our host on another port', () => [['Origin', 'http://127.0.0.1:1']]],
    ['our origin by https', () => [['Origin', `https://127.0.0.1:${port}`]]],
    ['a foreign host', () => [['Host', 'evil.example']]],
    ['a foreign host on our port', () => [['Host', `evil.example:${port}`]]],
    ['localhost on another port', () => [['Host', 'localhost:1']]],
    ['localhost without a port', () => [['Host', 'localhost']]],
    [
      'two hosts',
      () => [
        ['Host', `127.0.0.1:${port}`],
        ['Host', 'evil.example'],
      ],
    ],
  ];
  test.each(bad)('%s: 403 everywhere, before any work', async (_, headers) => {
    const heard = facade.router.heard.length;
    for (const line of PATHS) {
      const got = await ask(line, headers());
      expect([line, got.status, got.headers['content-type'], got.json.error.code]).toEqual([
        line,
        403,
        'application/json',
        'forbidden',
      ]);
    }
    expect(facade.router.heard).toHaveLength(heard);
  });

  const good: [string, () => Header[]][] = [
    ['no origin', () => []],
    ['localhost', () => [['Host', `localhost:${port}`]]],
    ['LOCALHOST', () => [['Host', `LocalHost:${port}`]]],
    ['IPv6 loopback', () => [['Host', `[::1]:${port}`]]],
    [
      'the public host and origin',
      () => [
        ['Host', 'mcp.zone.example'],
        ['Origin', 'https://mcp.zone.example'],
      ],
    ],
    ['the public host with its port', () => [['Host', 'mcp.zone.example:443']]],
    [
      'an allowed host and its https origin',
      () => [
        ['Host', 'edge.internal:8443'],
        ['Origin', 'https://edge.internal:8443'],
      ],
    ],
    ['another allowed host', () => [['Host', 'other.internal']]],
    ['an allowed origin', () => [['Origin', 'http://localhost:6274']]],
    ['our own page', () => [['Origin', `http://127.0.0.1:${port}`]]],
  ];
  test.each(good)('%s: served', async (_, headers) => {
    expect((await ask('GET /healthz', headers())).status).toBe(200);
    expect((await ask('GET /v1/root/mcp', headers())).status).toBe(405);
  });
});
