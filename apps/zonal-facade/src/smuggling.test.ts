import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AUTH, JSON_TYPE, startFacade, type FacadeUnderTest } from './fixtures/facade.js';
import { rawText } from './fixtures/raw.js';

let facade: FacadeUnderTest;
let host = '';
beforeAll(async () => {
  facade = await startFacade({
    bounds: { headers_timeout_ms: 1_000, request_timeout_ms: 2_000, body_timeout_ms: 500 },
  });
  host = new URL(facade.urls.root_url).host;
});
afterAll(() => facade.stop());

const BODY = '{"tool_id":"adaos_dev.get_foundation"}';
const HIDDEN = 'GET /v1/root/mcp/targets HTTP/1.1\r\nHost: x\r\n\r\n';
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const head = (...lines: string[]) =>
  [`POST /v1/root/mcp/call HTTP/1.1`, `Host: ${host}`, JSON_TYPE.join(': '), AUTH.join(': '), ...lines].join(
    '\r\n',
  ) + '\r\n\r\n';
const statuses = (answer: string) => [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => match[1]);

describe('two readings of where a request ends', () => {
  const shapes: [string, () => string][] = [
    [
      'length and chunks',
      () => head(`Content-Length: ${BODY.length}`, 'Transfer-Encoding: chunked') + CHUNKED,
    ],
    ['chunks and length', () => head('Transfer-Encoding: chunked', 'Content-Length: 4') + CHUNKED],
    ['two lengths', () => head('Content-Length: 4', `Content-Length: ${BODY.length}`) + BODY],
    [
      'the same length twice',
      () => head(`Content-Length: ${BODY.length}`, `Content-Length: ${BODY.length}`) + BODY,
    ],
    ['a list of lengths', () => head(`Content-Length: ${BODY.length}, ${BODY.length}`) + BODY],
    ['a signed length', () => head(`Content-Length: +${BODY.length}`) + BODY],
    ['a negative length', () => head('Content-Length: -1') + BODY],
    ['a hexadecimal length', () => head('Content-Length: 0x26') + BODY],
    ['an unknown coding', () => head('Transfer-Encoding: xchunked') + CHUNKED],
    ['chunks that are not the last coding', () => head('Transfer-Encoding: chunked, identity') + CHUNKED],
    ['chunks twice', () => head('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + CHUNKED],
    ['a space before the colon', () => head('Transfer-Encoding : chunked') + CHUNKED],
    ['a tab in the name', () => head('Transfer\tEncoding: chunked') + CHUNKED],
    ['a folded line', () => head('X-A: b\r\n Transfer-Encoding: chunked\r\n\tc: d\r\nBad Name: x') + CHUNKED],
    ['a NUL in a value', () => head('X-A: a\0b', `Content-Length: ${BODY.length}`) + BODY],
    ['bare CR in a value', () => head('X-A: a\rContent-Length: 4', `Content-Length: ${BODY.length}`) + BODY],
    [
      'bare LF between the lines',
      () => head(`Content-Length: ${BODY.length}\nX-A: b`).replaceAll('\r\n', '\n') + BODY,
    ],
    [
      'bare LF before a hidden line',
      () => head(`X-A: b\nTransfer-Encoding: chunked`, 'Content-Length: 4') + CHUNKED,
    ],
    ['bare LF after a chunk size', () => head('Transfer-Encoding: chunked') + CHUNKED.replace('\r\n', '\n')],
    [
      'a chunk extension of 64 KiB',
      () => head('Transfer-Encoding: chunked') + `1;${'x'.repeat(65_536)}\r\n{\r\n0\r\n\r\n`,
    ],
    ['a chunk size beyond any', () => head('Transfer-Encoding: chunked') + `fffffffffffffffff\r\n${BODY}`],
    ['a chunk size with a sign', () => head('Transfer-Encoding: chunked') + `-1\r\n${BODY}`],
    [
      'HTTP/1.0 with chunks and length',
      () => head(`Content-Length: 3`, 'Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0') + CHUNKED,
    ],
    [
      'another major version',
      () => head(`Content-Length: ${BODY.length}`).replace('HTTP/1.1', 'HTTP/3.7') + BODY,
    ],
    ['a request line without a version', () => 'POST /v1/root/mcp/call\r\n\r\n'],
    ['an HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a CONNECT', () => `CONNECT evil.example:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
  ];
  test.each(shapes)(
    '%s: one refusal or none, nothing runs, nothing behind it is served',
    async (_, shape) => {
      const heard = facade.router.on('router_call').length;
      const answer = await rawText(facade.urls.root_url, shape() + HIDDEN);
      expect(statuses(answer).filter((status) => status! < '400')).toEqual([]);
      expect(statuses(answer).length).toBeLessThanOrEqual(1);
      if (answer !== '') expect(answer).toContain('application/json');
      expect(facade.router.on('router_call')).toHaveLength(heard);
    },
  );

  test('the same request in plain runs once', async () => {
    const heard = facade.router.on('router_call').length;
    for (const text of [
      head(`Content-Length: ${BODY.length}`, 'Connection: close') + BODY,
      head('Transfer-Encoding: chunked', 'Connection: close') + CHUNKED,
    ])
      expect(statuses(await rawText(facade.urls.root_url, text))).toEqual(['200']);
    expect(facade.router.on('router_call')).toHaveLength(heard + 2);
  });

  test('an expectation nobody meets is 417 in JSON', async () => {
    const answer = await rawText(
      facade.urls.root_url,
      head('Expect: 200-maybe', 'Content-Length: 4') + '{}{}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 417 .*application\/json.*"ok":false/s);
  });
});

describe('what comes slowly', () => {
  test('headers that trickle are cut by the time for all of them', async () => {
    const answer = await rawText(facade.urls.root_url, `POST /v1/root/mcp HTTP/1.1\r\nHost: ${host}\r\nX-A:`);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a connection that says nothing is cut too', async () => {
    expect(await rawText(facade.urls.root_url, '')).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });
});
