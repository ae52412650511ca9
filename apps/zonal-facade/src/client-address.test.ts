import { afterEach, describe, expect, test } from '@jest/globals';
import { trustedProxies } from './client-address.js';
import { startFacade, type FacadeUnderTest, type Header } from './fixtures/facade.js';

let facade: FacadeUnderTest | undefined;
afterEach(async () => {
  await facade?.stop();
  facade = undefined;
});

const forwarded = (...values: string[]): Header[] =>
  values.map((value) => ['X-Forwarded-For', value] as const);
async function addressOf(trust: string, headers: readonly Header[]): Promise<string> {
  facade ??= await startFacade({ config: { TRUST_PROXY: trust } });
  await facade.http('/v1/root/mcp/targets', { headers });
  return facade.router.on('router_call').at(-1).client.address as string;
}

describe('who the client is', () => {
  test('without a trusted proxy nobody’s word counts', async () => {
    expect(await addressOf('', forwarded('203.0.113.9'))).toBe('127.0.0.1');
  });

  test('a peer outside of the list is the client, whatever it says', async () => {
    expect(await addressOf('10.0.0.0/8', forwarded('203.0.113.9'))).toBe('127.0.0.1');
  });

  const walked: [string, string[], string][] = [
    ['one proxy', ['203.0.113.9'], '203.0.113.9'],
    ['a forged entry left of the one our proxy wrote', ['6.6.6.6, 203.0.113.9'], '203.0.113.9'],
    ['our second proxy is walked through', ['6.6.6.6, 203.0.113.9, 10.1.2.3'], '203.0.113.9'],
    ['two header lines are one list', ['6.6.6.6', '203.0.113.9'], '203.0.113.9'],
    ['a port is no part of it', ['203.0.113.9:4711'], '203.0.113.9'],
    ['IPv6 in brackets with a port', ['[2001:db8::1]:4711'], '2001:db8::1'],
    ['IPv4 written as IPv6', ['::ffff:203.0.113.9'], '203.0.113.9'],
    ['what is no address ends the walk at our proxy', ['203.0.113.9, unknown, 10.1.2.3'], '10.1.2.3'],
    ['nor is a number an address', ['1'], '127.0.0.1'],
    ['all of them ours: the first', ['10.9.9.9, 10.1.2.3'], '10.9.9.9'],
    ['no header: the proxy itself', [], '127.0.0.1'],
    ['more hops than anybody has', [`203.0.113.9${', 10.1.2.3'.repeat(40)}`], '10.1.2.3'],
  ];
  test.each(walked)('%s', async (_, values, client) => {
    expect(await addressOf('127.0.0.1, 10.0.0.0/8', forwarded(...values))).toBe(client);
  });

  test.each([
    '10.0.0.0/33',
    'proxy.example',
    '1',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '0.0.0.0/0',
    '::/0',
    '300.1.1.1',
  ])('TRUST_PROXY %s is refused with what to write', (entry) => {
    expect(() => trustedProxies(`127.0.0.1, ${entry}`)).toThrow(
      /^TRUST_PROXY .*(write 10\.0\.0\.5 or|list the proxies)/,
    );
  });
});

describe('what a proxy says of host and scheme', () => {
  const status = async (headers: readonly Header[]) => (await facade!.http('/healthz', { headers })).status;
  const config = { PUBLIC_URL: 'https://mcp.zone.example' };

  test('counts from ours', async () => {
    facade = await startFacade({ config: { ...config, TRUST_PROXY: '127.0.0.1' } });
    expect(
      await status([
        ['Host', 'facade:8930'],
        ['X-Forwarded-Host', 'mcp.zone.example'],
      ]),
    ).toBe(200);
    expect(await status([['X-Forwarded-Host', 'evil.example']])).toBe(403);
    expect(
      await status([
        ['X-Forwarded-Host', 'mcp.zone.example'],
        ['X-Forwarded-Host', 'evil.example'],
      ]),
    ).toBe(403);
    expect(await status([['X-Forwarded-Proto', 'https']])).toBe(200);
    const clear = await facade.http('/v1/root/mcp', { headers: [['X-Forwarded-Proto', 'http']] });
    expect([clear.status, clear.json.error.message]).toEqual([403, 'This is served over https only.']);
  });

  test('is nothing from anybody else', async () => {
    facade = await startFacade({ config: { ...config, TRUST_PROXY: '10.0.0.0/8' } });
    expect(
      await status([
        ['Host', 'facade:8930'],
        ['X-Forwarded-Host', 'mcp.zone.example'],
      ]),
    ).toBe(403);
    expect(
      await status([
        ['X-Forwarded-Host', 'evil.example'],
        ['X-Forwarded-Proto', 'http'],
      ]),
    ).toBe(200);
  });
});
