import { expect, test } from '@jest/globals';
import { keyPrefix } from './config.js';

test('zones that share a Redis count apart, also when one is named like a part of another', () => {
  const of = (zone: string) => keyPrefix({ REDIS_PREFIX: 'adaos:' }, zone) + 'zone';
  expect(of('eu')).toBe('adaos:eu:zone');
  expect(new Set(['eu', 'eu-zone', 'zone'].map(of)).size).toBe(3);
});
