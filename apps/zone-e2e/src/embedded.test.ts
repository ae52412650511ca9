import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allScenarios } from './all-scenarios.js';
import { launchEmbedded } from './embedded-zone.js';
import type { ZoneUnderTest } from './zone-under-test.js';

describe('embedded zone', () => {
  let zone: ZoneUnderTest;
  beforeAll(async () => {
    zone = await launchEmbedded();
  }, 120_000);

  allScenarios(() => zone);

  test('Ctrl-C drains and exits 0', async () => {
    expect(await zone.stop()).toBe(0);
  }, 30_000);

  afterAll(() => zone?.stop(), 30_000);
});
