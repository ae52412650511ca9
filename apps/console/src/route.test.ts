import { describe, expect, test } from '@jest/globals';
import { href, placeOf } from './route.js';

const at = (url: string) => {
  const { pathname, search } = new URL(url, 'http://zone');
  const { page, id } = placeOf(pathname, search);
  return [page, id];
};

describe('places', () => {
  test.each([
    ['/console', 'overview', ''],
    ['/console/', 'overview', ''],
    ['/console/events?status=denied', 'events', ''],
    ['/console/targets', 'targets', ''],
    ['/console/targets/hub:demo', 'target', 'hub:demo'],
    ['/console/targets/hub%3Ademo', 'target', 'hub:demo'],
    ['/console/leases/new?target=hub:demo', 'new_lease', 'new'],
    ['/console/leases/lse_1', 'lease', 'lse_1'],
    ['/console/leases/lse_1/more', 'nowhere', 'lse_1'],
    ['/console/approvals?status=pending', 'approvals', ''],
    ['/console/approvals/apr_1', 'approval', 'apr_1'],
    ['/console/events/evt_1', 'nowhere', 'evt_1'],
    ['/console/__proto__', 'nowhere', ''],
    ['/console/targets/%E0%A4%A', 'target', '%E0%A4%A'],
  ])('%s', (url, page, id) => {
    expect(at(url)).toEqual([page, id]);
  });
});

describe('links', () => {
  test('lead back to the place they were made for, whatever the id holds', () => {
    for (const id of ['hub:demo', 'a/b?c#d', '<script>', 'ü é'])
      expect(at(href(['targets', id]))).toEqual(['target', id]);
  });

  test('carry what is set of a query and nothing else', () => {
    expect(href(['events'], { status: 'denied', tool: '', lease: undefined })).toBe(
      '/console/events?status=denied',
    );
    expect(href([])).toBe('/console/');
    expect(href(['targets', 'hub:demo'])).toBe('/console/targets/hub:demo');
  });
});
