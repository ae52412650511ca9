import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { returnTo } from './return-to.js';

describe('where a sign-in leads', () => {
  test.each([
    '/console',
    '/console/',
    '/console/events?status=denied',
    '/console/targets/hub:demo',
    '/console?x=/a/b',
  ])('%s is a page of the console', (page) => expect(returnTo(page)).toBe(page));

  test.each([
    ['nothing', undefined],
    ['another site', 'https://evil.example.org/console/'],
    ['another site without a scheme', '//evil.example.org/console'],
    ['two slashes behind', '/console//evil.example.org'],
    ['a backslash', '/console/\\evil.example.org'],
    ['a way out', '/console/../v1/root/mcp'],
    ['an encoded way out', '/console/%2e%2e/v1/root/mcp'],
    ['another page of this host', '/v1/root/mcp'],
    ['a name that begins like it', '/consoles'],
    ['user and password', '/console@evil.example.org'],
    ['a line break', '/console/\r\nset-cookie: a=b'],
    ['a script', 'javascript:alert(1)'],
    ['a tab in front', '\t//evil.example.org'],
    ['too much', `/console/${'x'.repeat(1_024)}`],
  ])('%s leads to the first page', (_, asked) => expect(returnTo(asked)).toBe('/console/'));

  test('no text leads a browser to another site, or out of the console', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(
          '/console',
          '/',
          '//',
          '\\',
          '..',
          '%2e%2e',
          '%2f',
          '%5c',
          '@',
          ':',
          '?',
          '#',
          'evil.example.org',
          '\t',
          '\n',
        ),
        fc.string({ maxLength: 6 }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const { origin, pathname } = new URL(returnTo(parts.join('')), 'http://zone.example');
        expect([origin, /^\/console(\/|$)/.test(pathname)]).toEqual(['http://zone.example', true]);
      }),
      { numRuns: 20_000 },
    );
  });
});
