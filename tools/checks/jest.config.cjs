module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'checks',
  testMatch: ['<rootDir>/**/*.test.ts'],
};
