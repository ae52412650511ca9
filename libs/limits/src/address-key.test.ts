import { expect, test } from '@jest/globals';
import { addressKey } from './address-key.js';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
  ['not an address', 'not an address'],
  ['x'.repeat(100), 'x'.repeat(64)],
])('%s counts as %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});
