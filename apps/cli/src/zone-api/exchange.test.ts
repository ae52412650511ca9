import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:net';
import { adaosctl } from '../fixture/terminal.js';
import { refusal, startFixtureZone, TOKEN, type Answer, type FixtureZone } from '../fixture/zone.js';

let zone: FixtureZone;
let other: FixtureZone;
beforeAll(async () => {
  zone = await startFixtureZone();
  other = await startFixtureZone();
});
beforeEach(() => {
  zone.intercept = () => undefined;
  zone.seen.length = 0;
});
afterAll(async () => {
  await zone.close();
  await other.close();
});

const answers = (answer: Answer | 'hang' | 'reset') => (zone.intercept = () => answer);

describe('a request', () => {
  test('carries the token, and who sends it', async () => {
    await adaosctl(zone, 'targets list');
    expect(zone.seen[0]).toMatchObject({ authorization: `Bearer ${TOKEN}`, user_agent: 'adaosctl/0.0.0' });
  });

  test.each([301, 302, 307, 308])('is not carried on by a redirect %d', async (status) => {
    answers({ status, body: '', headers: { location: `${other.url}/v1/root/mcp/targets` } });
    const ran = await adaosctl(zone, 'targets list');
    expect(ran).toEqual({
      code: 4,
      out: '',
      err:
        `error: ${zone.url} answered with a redirect, which is not followed. (redirected)\n` +
        '  next    Give the URL of the zone itself.\n',
    });
    expect(other.seen).toEqual([]);
  });

  test('ends at its timeout', async () => {
    answers('hang');
    const ran = await adaosctl(zone, 'targets list --timeout 50ms');
    expect(ran).toMatchObject({
      code: 4,
      err: expect.stringContaining(`${zone.url} did not answer within 0.05 s.`),
    });
  });

  test('ends at an interrupt', async () => {
    answers('hang');
    const interrupt = new AbortController();
    const running = adaosctl(zone, 'targets list', { signal: interrupt.signal });
    while (!zone.seen.length) await new Promise(setImmediate);
    interrupt.abort();
    expect(await running).toMatchObject({ code: 130, err: 'error: Interrupted.\n' });
  });

  test('is told when nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const env = { ADAOS_URL: `http://127.0.0.1:${port}`, ADAOS_TOKEN: TOKEN };
    expect(await adaosctl(null, 'targets list', { env })).toMatchObject({
      code: 4,
      err:
        `error: Nothing listens at http://127.0.0.1:${port}. (unreachable)\n` +
        '  next    Check ADAOS_URL and that the zone is up.\n',
    });
  });

  test('is told when the connection breaks', async () => {
    answers('reset');
    expect(await adaosctl(zone, 'targets list')).toMatchObject({
      code: 4,
      err: expect.stringContaining(`The connection to ${zone.url} failed (ECONNRESET).`),
    });
  });
});

describe('an answer', () => {
  const html = { 'content-type': 'text/html' };
  test.each([
    [
      'of a login page',
      { status: 200, body: '<html>', headers: html },
      4,
      'answers, but not like a zone (HTTP 200)',
    ],
    [
      'of a proxy',
      { status: 502, body: '<html>', headers: html },
      4,
      'answered 502: the zone or the way to it is down',
    ],
    ['of a proxy that wants a login', { status: 401, body: '', headers: html }, 3, 'The token was refused.'],
    ['of another service', { status: 200, body: [] }, 4, 'answers, but not like a zone (HTTP 200)'],
    ['without its list', { status: 200, body: { ok: true } }, 4, 'answers, but not like a zone: no targets'],
    [
      'with odd entries',
      { status: 200, body: { targets: [1] } },
      4,
      'answers, but not like a zone: no targets',
    ],
    [
      'without a part',
      { status: 200, body: { targets: [{}] } },
      1,
      'This command met something it does not understand',
    ],
    [
      'beyond all bounds',
      { status: 200, body: 'x'.repeat(17 * 1024 * 1024) },
      4,
      'answered more than 16777216 bytes',
    ],
  ])('%s', async (_name, answer, code, message) => {
    answers(answer);
    const ran = await adaosctl(zone, 'targets list');
    expect(ran).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
    expect(ran.err).not.toMatch(/\bat .*:\d+/);
  });

  test.each([
    ['lease_expired', 3],
    ['lease_revoked', 3],
    ['forbidden', 1],
    ['rate_limited', 1],
    ['dependency_unavailable', 4],
    ['audit_unavailable', 4],
    ['internal', 1],
  ] as const)('of code %s ends with %d', async (code, exit) => {
    answers(refusal(code));
    expect(await adaosctl(zone, 'targets list')).toMatchObject({
      code: exit,
      err: expect.stringContaining(`(${code})`),
    });
  });

  test('of a code this build does not know is a refusal', async () => {
    answers({ status: 418, body: { ok: false, error: { code: 'teapot', message: 'No coffee.' } } });
    expect(await adaosctl(zone, 'targets list')).toMatchObject({
      code: 1,
      err: 'error: No coffee. (teapot)\n',
    });
  });

  test('names the time to wait', async () => {
    answers(refusal('rate_limited', { retry_after_ms: 2400 }));
    expect((await adaosctl(zone, 'targets list')).err).toContain('next    Try again in 3 s.');
  });

  test('with --json is one document, with the ids', async () => {
    answers(refusal('forbidden', { lacking: ['hub.get_logs'] }));
    const ran = await adaosctl(zone, 'targets list --json');
    expect(ran).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(ran.out)).toEqual({
      ok: false,
      error: {
        code: 'forbidden',
        message: 'This credential may not do that.',
        details: { lacking: ['hub.get_logs'] },
        next: 'Look at the rules that decided, in the event; another credential or policy may allow it.',
      },
      request_id: 'req_fixture',
      trace_id: '0af7651916cd43dd8448eb211c80319c',
    });
  });
});

test('an id can not leave its place in the path', async () => {
  for (const id of ['..', '.', '']) {
    expect(await adaosctl(zone, ['lease', 'revoke', id])).toMatchObject({ code: 2 });
  }
  await adaosctl(zone, ['lease', 'revoke', '../../targets/hub:demo?x=1#']);
  expect(zone.seen.map(({ url }) => url)).toEqual([
    '/v1/root/mcp/sessions/..%2F..%2Ftargets%2Fhub%3Ademo%3Fx%3D1%23/revoke',
  ]);
});
