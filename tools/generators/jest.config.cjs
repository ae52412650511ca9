module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'generators',
  testMatch: ['<rootDir>/*.test.mjs', '<rootDir>/*.test.ts'],
};
