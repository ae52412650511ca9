import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

const banned = (names, message) => names.map((name) => ({ name, message }));
const CHILD = banned(
  ['node:child_process', 'child_process', 'execa'],
  'Processes start only in the agent (adapters, supervisor), libs/store/src/embedded and tools (D11).',
);
const FACTS = banned(['node:vm', 'vm'], 'Nothing is evaluated at run time.');

/** Tests and what only tests or tools run. */
const TESTS = [
  '**/*.test.ts',
  '**/*.suite.ts',
  '**/suite/**/*.ts',
  '**/fixtures/**/*.ts',
  '**/*.fixture.ts',
  'apps/zone-e2e/**/*.ts',
  'libs/testing/**/*.ts',
  'tools/**/*.ts',
  'apps/console/e2e/**/*.ts',
];

export default tseslint.config(
  { ignores: ['**/dist/**', 'dist-conformance/**', '**/node_modules/**', '.zone/**', '.nx/**', '**/*.cjs', 'coverage/**'] },
  ...tseslint.configs.strict,
  prettier,
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@nx': nx },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-imports': ['error', { paths: [...CHILD, ...FACTS] }],
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Settings are read once, by loadConfig (conventions 6).',
        },
      ],
      '@nx/enforce-module-boundaries': [
        'error',
        {
          allow: [],
          depConstraints: [
            { sourceTag: 'scope:contracts', onlyDependOnLibsWithTags: ['scope:contracts'] },
            { sourceTag: 'type:lib', onlyDependOnLibsWithTags: ['type:lib'] },
            {
              sourceTag: 'side:target',
              onlyDependOnLibsWithTags: [
                'scope:contracts',
                'scope:bus',
                'scope:runtime',
                'scope:permit',
                'scope:redact',
                'scope:testing',
              ],
            },
            { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:lib'] },
          ],
        },
      ],
    },
  },
  {
    files: ['apps/zone/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          allow: ['^@adaos/[a-z-]+/module$'],
          depConstraints: [{ sourceTag: '*', onlyDependOnLibsWithTags: ['*'] }],
        },
      ],
    },
  },
  {
    files: ['apps/*/src/main.ts', 'libs/runtime/src/service.ts', ...TESTS],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: [
      'apps/agent/src/adapters/**/*.ts',
      'apps/agent/src/supervisor/**/*.ts',
      'libs/store/src/embedded.ts',
      'libs/store/src/embedded/**/*.ts',
      ...TESTS,
    ],
    rules: { 'no-restricted-imports': ['error', { paths: FACTS }] },
  },
  // A raw answer in a test has no type until it is asserted on.
  { files: TESTS, rules: { '@typescript-eslint/no-explicit-any': 'off' } },
  // tools/services are plain programs next to the workspace; tools/checks reads every import as text.
  {
    files: ['apps/zone-e2e/**/*.ts', 'apps/console/e2e/**/*.ts', 'tools/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
);
