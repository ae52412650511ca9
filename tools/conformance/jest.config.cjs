module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'conformance',
  testMatch: ['<rootDir>/**/*.test.ts'],
};
