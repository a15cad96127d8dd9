import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const nodeGlobals = {
  process: 'readonly',
  performance: 'readonly',
  setTimeout: 'readonly',
  clearTimeout: 'readonly',
};
// Their types come with those of Node-RED's editor.
const ofNode = ['Buffer', 'global', 'module', 'process', 'require', 'setImmediate'].map((name) => ({
  name,
  message: 'The browser has none.',
}));
const ofBrowser = ['$', 'RED', 'document', 'window'].map((name) => ({ name, message: 'Node.js has none.' }));

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', '.node-red/', 'test/runtimes/', '**/*.d.json.ts'] },
  eslint.configs.recommended,
  { rules: { 'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }] } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    // A quarter less work than with `projectService`.
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'src/editor/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // A rejected async input handler kills Node-RED: these two find every such handler.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      // A promise that is returned without `await` takes three turns of the microtask queue instead of one, and the function is
      // missing in the stack of an error.
      '@typescript-eslint/return-await': ['error', 'always'],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          // Node.js remembers an import that has failed; `load` does not.
          selector:
            'ImportExpression:not(CallExpression[callee.name="load"] > ArrowFunctionExpression > ImportExpression)',
          message: 'Import a library by way of `load`.',
        },
      ],
    },
  },
  {
    files: ['src/editor/**/*.ts', 'nodes/*.editor.ts'],
    rules: { 'no-restricted-globals': ['error', { globals: ofNode }] },
  },
  {
    files: ['src/contract/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', { globals: [...ofNode, ...ofBrowser] }],
      'no-restricted-imports': ['error', { patterns: ['node:*'] }],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        ...nodeGlobals,
        AbortController: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
      },
    },
  },
  {
    files: ['**/*.js'],
    languageOptions: { sourceType: 'commonjs', globals: { ...nodeGlobals, module: 'writable' } },
  },
);
