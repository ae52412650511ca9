module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'services',
  testMatch: ['<rootDir>/*.test.mjs'],
};
