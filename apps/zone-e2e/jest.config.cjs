// The embedded zone needs Node alone; the split one real servers, and runs by name (see .ci/run).
const split = process.env.E2E_TOPOLOGY === 'split';
module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'e2e',
  testMatch: [split ? '<rootDir>/src/split.test.ts' : '<rootDir>/src/!(split).test.ts'],
  testTimeout: 60_000,
};
