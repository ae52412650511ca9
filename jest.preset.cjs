// One preset for every project: ESM TypeScript through swc, `.js` specifiers resolved to their `.ts` sources.
module.exports = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.tsx?$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } }],
  },
  testMatch: ['<rootDir>/src/**/*.test.ts'],
  // A machine that is busy with other work is no failure; what hangs still ends.
  testTimeout: 30_000,
};
