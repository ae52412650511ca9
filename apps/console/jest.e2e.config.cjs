// A browser against a real zone: node --experimental-vm-modules node_modules/jest/bin/jest.js -c apps/console/jest.e2e.config.cjs
module.exports = {
  ...require('../../jest.preset.cjs'),
  displayName: 'console-e2e',
  testMatch: ['<rootDir>/e2e/**/*.test.ts'],
  testTimeout: 60_000,
};
