import { afterEach, expect, test } from '@jest/globals';
import { sample } from '../fixture/sample.js';
import { adaosctl } from '../fixture/terminal.js';
import { refusal, startFixtureZone, type FixtureZone, type ZoneState } from '../fixture/zone.js';

let zone: FixtureZone;
afterEach(() => zone.close());
const start = async (given: Partial<ZoneState> = {}) =>
  (zone = await startFixtureZone({ ...sample(), ...given }));

const timeless = (text: string) => text.replaceAll(zone.url, 'URL').replace(/\d+ ms/, 'N ms');

test('tells a zone that is well', async () => {
  await start();
  const { code, out, err } = await adaosctl(zone, 'zone status', { columns: 80 });
  expect([code, err]).toEqual([0, '']);
  expect(timeless(out)).toBe(
    'Zone local at URL\n' +
      '  health   ok N ms\n' +
      '  ready    yes\n' +
      '  build    0.1.0 (abc123def456)\n' +
      '  tools    5 in 2 planes, 3 profiles\n' +
      '  targets  3 · 1 offline · 1 online · 1 registered\n' +
      '  leases   2 active\n',
  );
});

test('counts over pages', async () => {
  const targets = Array.from({ length: 450 }, (_, n) => ({
    ...sample().targets![0]!,
    target_id: `hub:h${n}`,
  }));
  await start({ targets });
  expect((await adaosctl(zone, 'zone status')).out).toContain('  targets  450 · 450 online\n');
});

test('health and readiness are asked without the token', async () => {
  await start();
  await adaosctl(zone, 'zone status');
  const probes = zone.seen.filter(({ url }) => !url.startsWith('/v1/'));
  expect(probes.map(({ url, authorization }) => [url, authorization])).toEqual([
    ['/healthz', undefined],
    ['/readyz', undefined],
  ]);
});

test('a zone that is not ready ends with 4, what it tells is told', async () => {
  await start({ ready: false });
  const { code, out, err } = await adaosctl(zone, 'zone status', { columns: 80 });
  expect(code).toBe(4);
  expect(timeless(out)).toContain('  ready    no (HTTP 503)\n  build    0.1.0 (abc123def456)\n');
  expect(err).toBe(
    'error: The zone is up but not ready: a part of it is away. (not_ready)\n' +
      '  next    Look at its logs; try again shortly.\n',
  );
});

test('a refused token ends with 3 and still tells health', async () => {
  await start();
  const env = { ADAOS_URL: zone.url, ADAOS_TOKEN: 'adm_wrong' };
  const { code, out } = await adaosctl(null, 'zone status', { env });
  expect(code).toBe(3);
  expect(timeless(out)).toBe(
    'Zone at URL\n' +
      '  health   ok N ms\n' +
      '  ready    yes\n' +
      '  build    not told (unauthenticated)\n' +
      '  targets  not told (unauthenticated)\n' +
      '  leases   not told (unauthenticated)\n',
  );
});

test('--json is one document, whatever the end', async () => {
  await start({ intercept: ({ url }) => (url.includes('/sessions') ? refusal('forbidden') : undefined) });
  const { code, out, err } = await adaosctl(zone, 'zone status --json');
  expect([code, err]).toEqual([1, '']);
  expect(JSON.parse(out)).toEqual({
    ok: false,
    root_url: zone.url,
    healthy: true,
    ready: true,
    latency_ms: expect.any(Number),
    foundation: expect.objectContaining({ zone: 'local' }),
    targets: { total: 3, complete: true, by_status: { offline: 1, online: 1, registered: 1 } },
    leases: { error: { code: 'forbidden', message: 'This credential may not do that.' } },
  });
});
