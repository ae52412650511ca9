module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'split',
  testMatch: ['<rootDir>/**/*.test.ts'],
};
